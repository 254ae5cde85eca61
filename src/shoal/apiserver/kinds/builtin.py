"""Kubernetes' own kinds that are served."""

from typing import Final

from shoal.api.claim import ResourceClaim, ResourceSlice
from shoal.api.meta import Object
from shoal.api.node import Node
from shoal.api.pod import Pod
from shoal.apiserver.kinds import cells, claim, data, job, pod, small, template, views
from shoal.apiserver.kinds.job_cells import job as job_cells
from shoal.apiserver.kinds.pod_cells import pod as pod_cells
from shoal.apiserver.kinds.reviews import REVIEWS
from shoal.apiserver.registry import Resource
from shoal.dialect.names import wrong_label
from shoal.dialect.table import AGE, NAME, Column, wide

_DRA: Final = "resource.k8s.io"

POD: Final = Resource(
    kind="Pod",
    plural="pods",
    view=Pod,
    short_names=("po",),
    categories=("all",),
    status=True,
    status_metadata=True,
    other_subresources=(("binding", "Binding", "create"), ("log", "Pod", "get")),
    generation=True,
    delete_answers_object=True,
    fields={
        name: name
        for name in (
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        )
    },
    columns=(
        NAME,
        Column("Ready"),
        Column("Status"),
        Column("Restarts"),
        AGE,
        wide("IP"),
        wide("Node"),
        wide("Nominated Node"),
        wide("Readiness Gates"),
    ),
    cells=pod_cells,
    admit=pod.admit_pod,
    change=pod.change_pod,
)
NODE: Final = Resource(
    kind="Node",
    plural="nodes",
    view=Node,
    namespaced=False,
    short_names=("no",),
    status=True,
    status_metadata=True,
    status_at_birth=True,
    fields={"spec.unschedulable": "spec.unschedulable"},
    columns=(
        NAME,
        Column("Status"),
        Column("Roles"),
        AGE,
        Column("Version"),
        wide("Internal-IP"),
        wide("External-IP"),
        wide("OS-Image"),
        wide("Kernel-Version"),
        wide("Container-Runtime"),
    ),
    cells=cells.node,
    admit=small.admit_node,
)
NAMESPACE: Final = Resource(
    kind="Namespace",
    plural="namespaces",
    view=views.Namespace,
    namespaced=False,
    short_names=("ns",),
    status=True,
    status_metadata=True,
    other_subresources=(("finalize", "Namespace", "update"),),
    delete_answers_object=True,
    collection_deletes=False,
    name_rule=wrong_label,
    fields={"status.phase": "status.phase"},
    columns=(NAME, Column("Status"), AGE),
    cells=cells.namespace,
    admit=small.admit_namespace,
    change=small.change_namespace,
)
EVENT: Final = Resource(
    kind="Event",
    plural="events",
    view=views.Event,
    short_names=("ev",),
    put_creates=True,
    fields={
        "involvedObject.apiVersion": "involvedObject.apiVersion",
        "involvedObject.fieldPath": "involvedObject.fieldPath",
        "involvedObject.kind": "involvedObject.kind",
        "involvedObject.name": "involvedObject.name",
        "involvedObject.namespace": "involvedObject.namespace",
        "involvedObject.resourceVersion": "involvedObject.resourceVersion",
        "involvedObject.uid": "involvedObject.uid",
        "reason": "reason",
        "reportingComponent": "reportingComponent",
        "source": "source.component",
        "type": "type",
    },
    columns=(
        Column("Last Seen"),
        Column("Type"),
        Column("Reason"),
        Column("Object"),
        wide("Subobject"),
        wide("Source"),
        Column("Message"),
        wide("First Seen"),
        wide("Count"),
        Column("Name", 1, format="name"),
    ),
    cells=cells.event,
    admit=small.admit_event,
)
SECRET: Final = Resource(
    kind="Secret",
    plural="secrets",
    view=views.Secret,
    fields={"type": "type"},
    columns=(NAME, Column("Type"), Column("Data"), AGE),
    cells=cells.secret,
    admit=data.admit_secret,
    change=data.change_secret,
)
CONFIG_MAP: Final = Resource(
    kind="ConfigMap",
    plural="configmaps",
    view=views.ConfigMap,
    short_names=("cm",),
    columns=(NAME, Column("Data"), AGE),
    cells=cells.config_map,
    admit=data.admit_config_map,
    change=data.change_config_map,
)
LEASE: Final = Resource(
    group="coordination.k8s.io",
    kind="Lease",
    plural="leases",
    view=views.Lease,
    put_creates=True,
    needs_version=True,
    columns=(NAME, Column("Holder"), AGE),
    cells=cells.lease,
    admit=small.admit_lease,
    change=small.change_lease,
)
PRIORITY_CLASS: Final = Resource(
    group="scheduling.k8s.io",
    kind="PriorityClass",
    plural="priorityclasses",
    view=views.PriorityClass,
    namespaced=False,
    short_names=("pc",),
    generation=True,
    columns=(
        NAME,
        Column("Value", type="integer"),
        Column("Global-Default", type="boolean"),
        AGE,
        Column("PreemptionPolicy"),
    ),
    cells=cells.priority_class,
    admit=small.admit_priority_class,
    change=small.change_priority_class,
)
DEVICE_CLASS: Final = Resource(
    group=_DRA,
    kind="DeviceClass",
    plural="deviceclasses",
    view=Object,
    namespaced=False,
    generation=True,
    columns=(NAME, AGE),
    cells=cells.name_and_age,
)
RESOURCE_SLICE: Final = Resource(
    group=_DRA,
    kind="ResourceSlice",
    plural="resourceslices",
    view=ResourceSlice,
    namespaced=False,
    generation=True,
    fields={"spec.nodeName": "spec.nodeName", "spec.driver": "spec.driver"},
    columns=(NAME, Column("Node"), Column("Driver"), Column("Pool"), AGE),
    cells=cells.resource_slice,
    admit=claim.admit_slice,
    change=claim.change_slice,
)
RESOURCE_CLAIM: Final = Resource(
    group=_DRA,
    kind="ResourceClaim",
    plural="resourceclaims",
    view=ResourceClaim,
    status=True,
    delete_answers_object=True,
    columns=(NAME, Column("State"), AGE),
    cells=cells.resource_claim,
    admit=claim.admit_claim,
    change=claim.change_claim,
    change_status=claim.change_claim_status,
)
RESOURCE_CLAIM_TEMPLATE: Final = Resource(
    group=_DRA,
    kind="ResourceClaimTemplate",
    plural="resourceclaimtemplates",
    view=Object,
    columns=(NAME, AGE),
    cells=cells.name_and_age,
    admit=claim.admit_template,
    change=claim.change_template,
)
JOB: Final = Resource(
    group="batch",
    kind="Job",
    plural="jobs",
    categories=("all",),
    status=True,
    generation=True,
    orphan_warning=(
        "child pods are preserved by default when jobs are deleted; set "
        "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
        "suppress this warning"
    ),
    fields={"status.successful": "status.succeeded"},
    columns=(
        NAME,
        Column("Status"),
        Column("Completions"),
        Column("Duration"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ),
    cells=job_cells,
    admit=job.admit_job,
    change=job.change_job,
)
SERVICE_ACCOUNT: Final = Resource(
    kind="ServiceAccount",
    plural="serviceaccounts",
    short_names=("sa",),
    delete_answers_object=True,
    columns=(NAME, AGE),
    cells=cells.name_and_age,
)
POD_TEMPLATE: Final = Resource(
    kind="PodTemplate",
    plural="podtemplates",
    generation=True,
    delete_answers_object=True,
    columns=(NAME, Column("Containers"), Column("Images"), Column("Pod Labels")),
    cells=template.cells,
    admit=template.admit_pod_template,
    change=template.change_pod_template,
)
BUILTIN: Final = (
    POD,
    JOB,
    SERVICE_ACCOUNT,
    POD_TEMPLATE,
    NODE,
    NAMESPACE,
    EVENT,
    SECRET,
    CONFIG_MAP,
    LEASE,
    PRIORITY_CLASS,
    DEVICE_CLASS,
    RESOURCE_SLICE,
    RESOURCE_CLAIM,
    RESOURCE_CLAIM_TEMPLATE,
    *REVIEWS,
)

"""Kubernetes' own kinds that are served: the facts of the schema table, joined with our rules.

To serve another kind, name it in ``tools/schema_annotations.py``, run ``tools/schema_table.py``,
and add it here with its rules and its table cells.
"""

from typing import Any, Final

from shoal.apiserver.kinds import (
    cells,
    claim,
    data,
    definition,
    device_slice,
    events,
    job,
    node,
    pod,
    pod_change,
    service,
    small,
    template,
    volumes,
)
from shoal.apiserver.kinds.job_cells import job as job_cells
from shoal.apiserver.kinds.pod_cells import pod as pod_cells
from shoal.apiserver.kinds.reviews import REVIEWS
from shoal.apiserver.registry import Resource
from shoal.dialect.names import wrong_label
from shoal.dialect.schema import KindFacts, kinds

_DRA: Final = "resource.k8s.io"


def served(plural: str, group: str = "", version: str = "v1", **rules: Any) -> Resource:  # noqa: ANN401
    """The resource as the table describes it; ``rules`` are the fields that hold our functions."""
    facts = kinds()[group, version, plural]
    traits: dict[str, Any] = dict.fromkeys(facts.traits, True)
    return Resource(
        group=group,
        version=version,
        kind=facts.kind,
        plural=plural,
        namespaced=facts.namespaced,
        short_names=facts.short_names,
        categories=facts.categories,
        status=any(sub.name == "status" for sub in facts.subresources),
        collection_deletes="deletecollection" in facts.verbs,
        fields=facts.selectable,
        immutable=facts.immutable,
        columns=facts.columns,
        **traits,
        **rules,
    )


def _switches(facts: KindFacts) -> dict[str, Any]:
    return dict.fromkeys(facts.traits, True)


POD: Final = served(
    "pods",
    cells=pod_cells,
    admit=pod.admit_pod,
    change=pod_change.change_pod,
)
NODE: Final = served(
    "nodes",
    cells=cells.node,
    admit=node.admit_node,
    change=node.change_node,
    change_status=node.change_node_status,
)
NAMESPACE: Final = served(
    "namespaces",
    name_rule=wrong_label,
    cells=cells.namespace,
    admit=small.admit_namespace,
    change=small.change_namespace,
    mark_deleted=small.mark_namespace_deleted,
)
EVENT: Final = served("events", cells=cells.event, admit=events.admit_event)
EVENT_V1: Final = served(
    "events",
    "events.k8s.io",
    face=events.FACE,
    cells=cells.event,
    admit=events.admit_event_v1,
    change=events.change_event_v1,
)
SECRET: Final = served(
    "secrets", cells=cells.secret, admit=data.admit_secret, change=data.change_secret
)
CONFIG_MAP: Final = served(
    "configmaps", cells=cells.config_map, admit=data.admit_config_map, change=data.change_config_map
)
LEASE: Final = served(
    "leases",
    "coordination.k8s.io",
    cells=cells.lease,
    admit=small.admit_lease,
    change=small.change_lease,
)
PRIORITY_CLASS: Final = served(
    "priorityclasses",
    "scheduling.k8s.io",
    cells=cells.priority_class,
    admit=small.admit_priority_class,
)
DEVICE_CLASS: Final = served(
    "deviceclasses",
    _DRA,
    cells=cells.name_and_age,
    admit=claim.admit_device_class,
    change=claim.change_device_class,
)
RESOURCE_SLICE: Final = served(
    "resourceslices",
    _DRA,
    cells=cells.resource_slice,
    admit=device_slice.admit_slice,
    change=device_slice.change_slice,
)
RESOURCE_CLAIM: Final = served(
    "resourceclaims",
    _DRA,
    cells=cells.resource_claim,
    admit=claim.admit_claim,
    change=claim.change_claim,
    change_status=claim.change_claim_status,
)
RESOURCE_CLAIM_TEMPLATE: Final = served(
    "resourceclaimtemplates",
    _DRA,
    cells=cells.name_and_age,
    admit=claim.admit_template,
    change=claim.change_template,
)
JOB: Final = served(
    "jobs",
    "batch",
    orphan_warning=(
        "child pods are preserved by default when jobs are deleted; set "
        "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
        "suppress this warning"
    ),
    cells=job_cells,
    admit=job.admit_job,
    change=job.change_job,
)
SERVICE_ACCOUNT: Final = served("serviceaccounts", cells=cells.name_and_age)
POD_TEMPLATE: Final = served(
    "podtemplates",
    cells=template.cells,
    admit=template.admit_pod_template,
    change=template.change_pod_template,
)
SERVICE: Final = served(
    "services",
    name_rule=wrong_label,
    cells=service.service,
    admit=service.admit_service,
    change=service.change_service,
)
VOLUME: Final = served(
    "persistentvolumes",
    cells=volumes.volume,
    admit=volumes.admit_volume,
    change=volumes.change_volume,
    mark_deleted=volumes.let_volume_go,
)
VOLUME_CLAIM: Final = served(
    "persistentvolumeclaims",
    cells=volumes.volume_claim,
    admit=volumes.admit_volume_claim,
    change=volumes.change_volume_claim,
)
BINDING: Final = served("bindings", stored=False, cells=cells.name_and_age)
DEFINITION: Final = served(
    "customresourcedefinitions",
    "apiextensions.k8s.io",
    cells=definition.cells,
    admit=definition.admit_definition,
    change=definition.change_definition,
    change_status=definition.change_definition_status,
    mark_deleted=definition.mark_definition_deleted,
)
BUILTIN: Final = (
    DEFINITION,
    POD,
    JOB,
    SERVICE_ACCOUNT,
    POD_TEMPLATE,
    NODE,
    NAMESPACE,
    EVENT,
    EVENT_V1,
    SERVICE,
    VOLUME,
    VOLUME_CLAIM,
    BINDING,
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

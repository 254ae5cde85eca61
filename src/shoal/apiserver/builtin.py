"""Kubernetes' own kinds that are served."""

from typing import Any, Final

from shoal.apiserver.pods import admit_pod
from shoal.apiserver.registry import Document, Resource, World
from shoal.dialect.paths import dig
from shoal.dialect.table import AGE, NAME, age
from shoal.dialect.names import wrong_label


def _cells(document: Document, now: int) -> list[Any]:
    return [document["metadata"]["name"], age(dig(document, "metadata", "creationTimestamp"), now)]


def _admit_namespace(document: Document, world: World) -> list[str]:
    document["spec"] = {"finalizers": ["kubernetes"]}
    document["status"] = {"phase": "Active"}
    return []


_C: Final = (NAME, AGE)
BUILTIN: Final = (
    Resource(kind="Pod", plural="pods", short_names=("po",), categories=("all",), status=True, status_metadata=True, generation=True, delete_answers_object=True, fields=("spec.nodeName", "status.phase", "spec.schedulerName"), columns=_C, cells=_cells, admit=admit_pod),
    Resource(kind="Node", plural="nodes", namespaced=False, short_names=("no",), status=True, status_metadata=True, status_at_birth=True, columns=_C, cells=_cells, fields=("spec.unschedulable",)),
    Resource(kind="Namespace", plural="namespaces", namespaced=False, short_names=("ns",), status=True, delete_answers_object=True, name_rule=wrong_label, columns=_C, cells=_cells, admit=_admit_namespace, collection_deletes=False),
    Resource(kind="Event", plural="events", short_names=("ev",), put_creates=True, columns=_C, cells=_cells),
    Resource(kind="Secret", plural="secrets", columns=_C, cells=_cells),
    Resource(kind="ConfigMap", plural="configmaps", short_names=("cm",), columns=_C, cells=_cells),
    Resource(group="coordination.k8s.io", kind="Lease", plural="leases", put_creates=True, needs_version=True, columns=_C, cells=_cells),
    Resource(group="scheduling.k8s.io", kind="PriorityClass", plural="priorityclasses", namespaced=False, columns=_C, cells=_cells),
    Resource(group="resource.k8s.io", kind="DeviceClass", plural="deviceclasses", namespaced=False, generation=True, columns=_C, cells=_cells),
    Resource(group="resource.k8s.io", kind="ResourceSlice", plural="resourceslices", namespaced=False, generation=True, fields=("spec.nodeName", "spec.driver"), columns=_C, cells=_cells),
    Resource(group="resource.k8s.io", kind="ResourceClaim", plural="resourceclaims", status=True, delete_answers_object=True, columns=_C, cells=_cells),
    Resource(group="resource.k8s.io", kind="ResourceClaimTemplate", plural="resourceclaimtemplates", columns=_C, cells=_cells),
)

"""Where each kind lives: what a client needs to name it in a path and decode it."""

from typing import Final, Generic, TypeVar

import msgspec

from shoal.api.claim import ResourceClaim, ResourceSlice
from shoal.api.gang import Gang
from shoal.api.job import Job
from shoal.api.lease import Lease
from shoal.api.meta import API_VERSION, Object
from shoal.api.node import Node
from shoal.api.nodeuse import NodeUse
from shoal.api.pod import Pod
from shoal.api.queue import Queue
from shoal.api.run import Run

T = TypeVar("T", bound=Object)


class Kind(msgspec.Struct, Generic[T], frozen=True):
    """A kind as clients address it. ``view`` is the struct that its objects decode into."""

    api_version: str
    name: str
    plural: str
    namespaced: bool
    view: type[T]

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The REST path of the collection, an object, or one of its subresources."""
        root = "/apis/" if "/" in self.api_version else "/api/"
        scope = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        tail = "".join(f"/{part}" for part in (name, subresource) if part)
        return f"{root}{self.api_version}{scope}/{self.plural}{tail}"


RUNS: Final = Kind(API_VERSION, "Run", "runs", True, Run)
GANGS: Final = Kind(API_VERSION, "Gang", "gangs", True, Gang)
QUEUES: Final = Kind(API_VERSION, "Queue", "queues", True, Queue)
NODE_USES: Final = Kind(API_VERSION, "NodeUse", "nodeuses", False, NodeUse)
PODS: Final = Kind("v1", "Pod", "pods", True, Pod)
NODES: Final = Kind("v1", "Node", "nodes", False, Node)
NAMESPACES: Final = Kind("v1", "Namespace", "namespaces", False, Object)
EVENTS: Final = Kind("v1", "Event", "events", True, Object)
SECRETS: Final = Kind("v1", "Secret", "secrets", True, Object)
CONFIG_MAPS: Final = Kind("v1", "ConfigMap", "configmaps", True, Object)
JOBS: Final = Kind("batch/v1", "Job", "jobs", True, Job)
POD_TEMPLATES: Final = Kind("v1", "PodTemplate", "podtemplates", True, Object)
SERVICE_ACCOUNTS: Final = Kind("v1", "ServiceAccount", "serviceaccounts", True, Object)
SERVICES: Final = Kind("v1", "Service", "services", True, Object)
VOLUMES: Final = Kind("v1", "PersistentVolume", "persistentvolumes", False, Object)
VOLUME_CLAIMS: Final = Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims", True, Object)
LEASES: Final = Kind("coordination.k8s.io/v1", "Lease", "leases", True, Lease)
PRIORITY_CLASSES: Final = Kind(
    "scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", False, Object
)
_RESOURCE: Final = "resource.k8s.io/v1"
DEVICE_CLASSES: Final = Kind(_RESOURCE, "DeviceClass", "deviceclasses", False, Object)
RESOURCE_SLICES: Final = Kind(_RESOURCE, "ResourceSlice", "resourceslices", False, ResourceSlice)
RESOURCE_CLAIMS: Final = Kind(_RESOURCE, "ResourceClaim", "resourceclaims", True, ResourceClaim)
RESOURCE_CLAIM_TEMPLATES: Final = Kind(
    _RESOURCE, "ResourceClaimTemplate", "resourceclaimtemplates", True, Object
)

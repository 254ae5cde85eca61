"""Where lists merge instead of being replaced, in a strategic merge patch of Kubernetes' kinds.

Facts of the published schemas (``x-kubernetes-patch-merge-key`` and ``-patch-strategy``), cut to
the fields that lead to such a list. A field that is not here merges as a map or replaces.
"""

from collections.abc import Mapping
from typing import Final

import msgspec


class MergeList(msgspec.Struct, frozen=True):
    """A list that merges by ``key``; an empty key: a set of plain values.

    ``item`` is the type of its items in ``TYPES``, where they hold merging lists themselves.
    """

    key: str = ""
    item: str = ""


Field = MergeList | str
"""A merging list, or the type of a nested object."""


_CONTAINER: Final[Mapping[str, Field]] = {
    "env": MergeList("name"),
    "ports": MergeList("containerPort"),
    "volumeDevices": MergeList("devicePath"),
    "volumeMounts": MergeList("mountPath"),
}
_META_ONLY: Final[Mapping[str, Field]] = {"metadata": "ObjectMeta"}

TYPES: Final[Mapping[str, Mapping[str, Field]]] = {
    "ObjectMeta": {"finalizers": MergeList(), "ownerReferences": MergeList("uid")},
    "Pod": {"metadata": "ObjectMeta", "spec": "PodSpec", "status": "PodStatus"},
    "PodSpec": {
        "containers": MergeList("name", "Container"),
        "ephemeralContainers": MergeList("name", "Container"),
        "evictionResponders": MergeList("name"),
        "hostAliases": MergeList("ip"),
        "imagePullSecrets": MergeList("name"),
        "initContainers": MergeList("name", "Container"),
        "resourceClaims": MergeList("name"),
        "schedulingGates": MergeList("name"),
        "topologySpreadConstraints": MergeList("topologyKey"),
        "volumes": MergeList("name"),
    },
    "Container": _CONTAINER,
    "PodStatus": {
        "conditions": MergeList("type"),
        "hostIPs": MergeList("ip"),
        "podIPs": MergeList("ip"),
        "resourceClaimStatuses": MergeList("name"),
    },
    "Node": {"metadata": "ObjectMeta", "spec": "NodeSpec", "status": "NodeStatus"},
    "NodeSpec": {"podCIDRs": MergeList()},
    "NodeStatus": {"addresses": MergeList("type"), "conditions": MergeList("type")},
    "Namespace": {"metadata": "ObjectMeta", "status": "NamespaceStatus"},
    "NamespaceStatus": {"conditions": MergeList("type")},
    "ResourceClaim": {"metadata": "ObjectMeta", "status": "ResourceClaimStatus"},
    "ResourceClaimStatus": {"reservedFor": MergeList("uid")},
    "ResourceClaimTemplate": {"metadata": "ObjectMeta", "spec": "ResourceClaimTemplateSpec"},
    "ResourceClaimTemplateSpec": _META_ONLY,
    "Job": {"metadata": "ObjectMeta", "spec": "JobSpec", "status": "JobStatus"},
    "JobSpec": {"template": "PodTemplateSpec"},
    "JobStatus": {"conditions": MergeList("type")},
    "PodTemplate": {"metadata": "ObjectMeta", "template": "PodTemplateSpec"},
    "PodTemplateSpec": {"metadata": "ObjectMeta", "spec": "PodSpec"},
    "ServiceAccount": {"metadata": "ObjectMeta", "secrets": MergeList("name")},
    "ConfigMap": _META_ONLY,
    "DeviceClass": _META_ONLY,
    "Event": _META_ONLY,
    "Lease": _META_ONLY,
    "PriorityClass": _META_ONLY,
    "ResourceSlice": _META_ONLY,
    "Secret": _META_ONLY,
}


def merges_strategically(kind: str) -> bool:
    """Whether the kind takes strategic merge patches: Kubernetes' own do, others do not."""
    return kind in TYPES

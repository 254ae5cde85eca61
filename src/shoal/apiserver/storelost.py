"""What a restored store may still say of machines: nothing, since nobody answers for them.

The nodes of a backup, with their cards, are those of another time and maybe of another machine;
those that are there appear anew. Programs that ran on them belong to no box any more, so their
pods are told as lost, and what waits for their cards goes on.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from shoal.apiserver.storefile import Record

_REASON: Final = "NodeLost"
_MESSAGE: Final = "the box was restored from a backup; what became of the program is not known"
_PODS: Final = "pods"
_LEASES: Final = "leases.coordination.k8s.io"
_LEASES_OF_NODES: Final = "kube-node-lease"
_OF_MACHINES: Final = frozenset({"nodes", "nodeuses.shoal.dev", "resourceslices.resource.k8s.io"})
_ENDED: Final = frozenset({"Succeeded", "Failed"})
_NOT_READY: Final = frozenset({"Ready", "ContainersReady"})


def without_machines(records: Iterable[Record], revision: int) -> Iterator[Record]:
    """The rows to write after ``records``, the first of them after ``revision``."""
    latest = {record[1:4]: record for record in records}
    for record in latest.values():
        if not record.deleted and (told := _told(record)) is not None:
            revision += 1
            yield told._replace(revision=revision)


def _told(record: Record) -> Record | None:
    """What is to be said of an object from now on; None where nothing changes."""
    lease = record.resource == _LEASES and record.namespace == _LEASES_OF_NODES
    if lease or record.resource in _OF_MACHINES:
        return record._replace(deleted=True)
    if record.resource != _PODS:
        return None
    pod = msgspec.json.decode(record.data)
    if not pod["spec"].get("nodeName") or pod.get("status", {}).get("phase") in _ENDED:
        return None
    metadata = pod["metadata"]
    if metadata.get("deletionTimestamp") and not metadata.get("finalizers"):
        return record._replace(deleted=True)
    _lose(pod)
    return record._replace(data=msgspec.json.encode(pod))


def _lose(pod: dict[str, Any]) -> None:
    """Say of a pod that it failed because nobody answers for its node any more."""
    status = pod.setdefault("status", {})
    status |= {"phase": "Failed", "reason": _REASON, "message": _MESSAGE}
    for condition in status.get("conditions", []):
        if condition["type"] in _NOT_READY:
            condition["status"] = "False"
    for field in ("initContainerStatuses", "containerStatuses"):
        for one in status.get(field, []):
            if "terminated" not in one.get("state", {}):
                one["ready"] = one["started"] = False
                one["state"] = {"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown"}}

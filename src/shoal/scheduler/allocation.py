"""What is written into a claim, and whether a claim holds just that. Pure."""

import uuid
from typing import Any

import msgspec

from shoal.api.claim import COMPUTE, MEMORY, ResourceClaim
from shoal.api.meta import DRIVER
from shoal.core.decision import ClaimPlacement
from shoal.mirror.holds import our_results


class Wanted(msgspec.Struct, frozen=True):
    """What one claim is to hold, and for which pod (name and uid)."""

    placement: ClaimPlacement
    node: str
    pod: str
    pod_uid: str


def allocated_status(claim: ResourceClaim, wanted: Wanted) -> dict[str, Any]:
    """The status of the claim once it is allocated and reserved.

    A device that is shared needs a fresh ``shareID`` and its ``consumedCapacity`` (KEP-5075).
    """
    results = [
        {
            "request": request,
            "driver": DRIVER,
            "pool": wanted.node,
            "device": part.card,
            "shareID": str(uuid.uuid4()),
            "consumedCapacity": {MEMORY: f"{part.memory_mib}Mi", COMPUTE: str(part.milli)},
        }
        for request, part in zip(_request_names(claim), wanted.placement.parts, strict=True)
    ]
    return {
        "allocation": {"devices": {"results": results}},
        "reservedFor": [consumer(wanted.pod, wanted.pod_uid)],
    }


def _request_names(claim: ResourceClaim) -> list[str]:
    """The request that each card is for: as many of each as it counts."""
    requests = claim.spec.devices.requests or []
    return [one.name for one in requests for _ in range(one.exactly.count if one.exactly else 1)]


def consumer(pod: str, uid: str) -> dict[str, str]:
    """An entry of ``reservedFor``."""
    return {"resource": "pods", "name": pod, "uid": uid}


def is_reserved(claim: ResourceClaim, pod_uid: str) -> bool:
    """Whether the claim is allocated and the pod may use it."""
    reserved = any(each.uid == pod_uid for each in claim.status.reserved_for)
    return reserved and claim.status.allocation is not None


def holds_as(claim: ResourceClaim, wanted: Wanted) -> bool:
    """Whether the claim holds what is wanted already: an answer to our write was lost."""
    if not is_reserved(claim, wanted.pod_uid):
        return False
    held = [(each.pool, each.device) for each in our_results(claim)]
    return held == [(wanted.node, part.card) for part in wanted.placement.parts]

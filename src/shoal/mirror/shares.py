"""What a claim asks for: our configuration, else the capacities that its one request names."""

import math

import msgspec

from shoal.api.claim import COMPUTE, MEMORY, ExactRequest, ResourceClaim, share_config
from shoal.api.meta import DRIVER
from shoal.units.errors import UnitError
from shoal.units.gpu import WHOLE, Share
from shoal.units.quantity import parse_mib, parse_quantity


class UnclearError(Exception):
    """A claim that cannot be placed as it is written: one sentence that says why."""


def asked_share(claim: ResourceClaim) -> Share:
    """The share that a claim asks for. Raises UnclearError.

    Without our configuration a request that names no memory takes whole cards: that is what
    the slices' policy gives it. Several requests are for whole cards, one after the other.
    """
    requests = _requests(claim)
    share = _configured(claim)
    if len(requests) > 1:
        share = _together(claim, requests, share)
    elif share is None:
        share = _from_capacities(claim, requests[0])
    elif share.count != requests[0].count:
        raise _unclear(claim, f"asks for {requests[0].count} cards and its share for {share.count}")
    if not (share.count >= 1 and 0 <= share.milli <= WHOLE and share.memory_mib >= 0):
        raise _unclear(claim, "asks for a share outside 1 or more cards, 0 to 1000 of compute")
    if share.milli == 0 and share.memory_mib == 0:
        raise _unclear(claim, "asks for a share of nothing; example: memory 10Gi")
    return share


def _requests(claim: ResourceClaim) -> list[ExactRequest]:
    devices = claim.spec.devices
    if not devices.requests:
        raise _unclear(claim, "has 0 requests; a claim takes one, or several for whole cards")
    if devices.constraints:
        raise _unclear(claim, "has constraints, which are not supported yet")
    return [_readable(claim, request.exactly) for request in devices.requests]


def _readable(claim: ResourceClaim, request: ExactRequest | None) -> ExactRequest:
    if request is None:
        raise _unclear(claim, "lists alternatives (firstAvailable), which is not supported yet")
    if request.device_class_name != DRIVER:
        raise _unclear(
            claim, f"asks for class {request.device_class_name!r}; there is only {DRIVER}"
        )
    if request.allocation_mode != "ExactCount":
        raise _unclear(claim, "asks for all devices, which is not supported yet; name a count")
    if request.selectors:
        raise _unclear(claim, "has selectors, which are not supported yet")
    return request


def _together(claim: ResourceClaim, requests: list[ExactRequest], share: Share | None) -> Share:
    if share is not None or any(request.capacity.requests for request in requests):
        raise _unclear(claim, "has several requests for parts of cards; a part takes a claim alone")
    return Share(count=sum(request.count for request in requests), milli=WHOLE)


def _configured(claim: ResourceClaim) -> Share | None:
    try:
        config = share_config(claim)
    except msgspec.DecodeError as error:
        raise _unclear(claim, f"has a configuration that cannot be read: {error}") from None
    return config.share if config is not None else None


def _from_capacities(claim: ResourceClaim, request: ExactRequest) -> Share:
    asked = request.capacity.requests
    try:
        if MEMORY not in asked:
            return Share(count=request.count, milli=WHOLE)
        compute = math.ceil(parse_quantity(asked.get(COMPUTE, 0)))
        memory = parse_mib(asked[MEMORY])
    except UnitError as error:
        raise _unclear(claim, f"names a capacity that cannot be read: {error}") from None
    return Share(count=request.count, milli=compute, memory_mib=memory)


def _unclear(claim: ResourceClaim, what: str) -> UnclearError:
    return UnclearError(f"claim {claim.metadata.name} {what}")

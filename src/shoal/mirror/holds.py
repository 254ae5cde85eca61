"""What an allocated claim holds, as its allocation says."""

import math
from collections.abc import Mapping

from shoal.api.claim import COMPUTE, MEMORY, AllocationResult, ResourceClaim
from shoal.api.meta import ANNOTATION_STARTED, ANNOTATION_TIME_LIMIT, DRIVER, LABEL_RUN
from shoal.api.nodeuse import HeldClaim
from shoal.api.pod import Pod
from shoal.api.run import Run
from shoal.core.event import Card, Hold, Part
from shoal.mirror.shares import UnclearError, asked_share
from shoal.units.duration import parse_duration
from shoal.units.errors import UnitError
from shoal.units.gpu import WHOLE, Share
from shoal.units.instant import parse_instant
from shoal.units.quantity import parse_mib, parse_quantity


def node_of(claim: ResourceClaim) -> str:
    """The node whose cards the claim holds; empty while it holds none of ours."""
    results = our_results(claim)
    return results[0].pool if results else ""


def our_results(claim: ResourceClaim) -> list[AllocationResult]:
    """The cards of our driver in a claim's allocation."""
    allocation = claim.status.allocation
    if allocation is None:
        return []
    return [result for result in allocation.devices.results if result.driver == DRIVER]


def hold_of(claim: ResourceClaim, cards: Mapping[str, Card], run: Run | None) -> Hold:
    """The hold of a claim that has an allocation on a node with these cards."""
    return Hold(
        claim=claim.metadata.uid,
        owner=_owner(claim),
        node=node_of(claim),
        parts=tuple(_part(result, cards) for result in our_results(claim)),
        share=_share(claim),
        ends_at=known_end(run) if run is not None else 0,
        limited=run is None or bool(run.spec.limits.time),
    )


def listed_hold(held: HeldClaim, node: str) -> Hold:
    """The hold of a claim that is gone, as the agent which still holds it tells."""
    parts = (Part(card=d.device, memory_mib=d.memory_mib, milli=d.milli) for d in held.devices)
    return Hold(
        claim=held.uid, owner=held.pod, node=node, parts=tuple(parts), limited=True, releasing=True
    )


def known_end(run: Run) -> int:
    """When a run ends at the latest, in ms since the epoch; 0 where no end is known."""
    if not (run.status.started_at and run.spec.limits.time):
        return 0
    try:
        limit = parse_duration(run.spec.limits.time)
        return parse_instant(run.status.started_at) + limit * 1000
    except UnitError:
        return 0


def known_pod_end(pod: Pod) -> int:
    """When a pod ends at the latest, in ms since the epoch; 0 where no end is known."""
    limit, told = pod.spec.active_deadline_seconds, pod.metadata.annotations
    since = told.get(ANNOTATION_STARTED) if ANNOTATION_TIME_LIMIT in told else pod.status.start_time
    if not (since and limit):
        return 0
    try:
        return parse_instant(since) + limit * 1000
    except UnitError:
        return 0


def _owner(claim: ResourceClaim) -> str:
    if run := claim.metadata.labels.get(LABEL_RUN):
        return run
    consumers = claim.status.reserved_for
    return consumers[0].name if consumers else claim.metadata.name


def _share(claim: ResourceClaim) -> Share | None:
    try:
        return asked_share(claim)
    except UnclearError:
        return None


def _part(result: AllocationResult, cards: Mapping[str, Card]) -> Part:
    """A capacity that is not named, or cannot be read, counts as all of the card's."""
    card = cards.get(result.device)
    whole = card.memory_mib if card is not None else 0
    consumed = result.consumed_capacity
    try:
        memory = parse_mib(consumed[MEMORY]) if MEMORY in consumed else whole
        milli = math.ceil(parse_quantity(consumed.get(COMPUTE, 0 if consumed else WHOLE)))
    except UnitError:
        memory, milli = whole, WHOLE
    return Part(card=result.device, memory_mib=memory, milli=milli)

"""The status of a run: how the objects' facts are folded into it."""

from msgspec.structs import replace

from shoal.api.claim import ResourceClaim
from shoal.api.meta import DRIVER
from shoal.api.run import Failure, ReplicaStatus, Run, RunPhase, RunStatus
from shoal.core.runs.conditions import (
    FINISHED,
    PLACED,
    STARTED,
    STOPPING,
    Words,
    holds,
    with_condition,
    without,
)
from shoal.core.runs.failures import FailureReason, time_limit_words
from shoal.core.runs.pauses import pause_seconds
from shoal.core.runs.replicas import Replica, State
from shoal.units.duration import say_duration
from shoal.units.instant import format_instant


def observe(
    run: Run, replicas: tuple[Replica, ...], claims: tuple[ResourceClaim, ...]
) -> RunStatus:
    """The status as it was, with what the objects say of places and starts."""
    return replace(
        run.status,
        started_at=_started(replicas) or run.status.started_at,
        replicas=_places(replicas, claims),
        observed_generation=run.metadata.generation,
    )


def going(status: RunStatus, phase: RunPhase, words: Words, now: int) -> RunStatus:
    """A run that goes its way."""
    placed = phase is not RunPhase.QUEUED
    started = phase is RunPhase.RUNNING or holds(status.conditions, STARTED)
    why = Words() if placed else words
    conditions = with_condition(status.conditions, PLACED, placed, now, why)
    return replace(
        status,
        phase=phase,
        message=words.message,
        reason=words.reason,
        conditions=with_condition(conditions, STARTED, started, now),
    )


def ending(status: RunStatus, words: Words, now: int) -> RunStatus:
    """A run whose replicas are being ended; it stays in its phase until they have."""
    return replace(
        status,
        message=words.message,
        reason=words.reason,
        conditions=with_condition(status.conditions, STOPPING, True, now, words),
    )


def ended(
    run: Run, status: RunStatus, phase: RunPhase, replicas: tuple[Replica, ...], now: int
) -> RunStatus:
    """A run to which nothing more will happen."""
    words = _last_words(run, phase, status)
    told = Words(words.message, phase)
    conditions = without(status.conditions, STOPPING)
    return replace(
        status,
        phase=phase,
        message=words.message,
        reason=words.reason,
        finished_at=_finished(replicas) or format_instant(now),
        conditions=with_condition(conditions, FINISHED, True, now, told),
    )


def restarted(status: RunStatus, failure: Failure, allowed: int, now: int) -> RunStatus:
    """A run that is queued again for its next attempt."""
    restarts = status.restarts + 1
    pause = say_duration(pause_seconds(restarts))
    conditions = status.conditions
    for kind in (STOPPING, STARTED, PLACED):
        conditions = without(conditions, kind)
    return replace(
        status,
        phase=RunPhase.QUEUED,
        message=f"retry {restarts} of {allowed} after {pause}: {failure.message}",
        reason=failure.reason,
        attempt=status.attempt + 1,
        restarts=restarts,
        started_at=None,
        failure=None,
        replicas=[],
        conditions=with_condition(conditions, PLACED, False, now),
    )


def _last_words(run: Run, phase: RunPhase, status: RunStatus) -> Words:
    if phase is RunPhase.TIMED_OUT:
        return Words(time_limit_words(run), FailureReason.TIME_LIMIT)
    if (failure := status.failure) is not None:
        return Words(failure.message, failure.reason)
    if phase is RunPhase.STOPPED:
        return Words("" if status.started_at else "stopped before it started", "Stop")
    return Words()


def _places(
    replicas: tuple[Replica, ...], claims: tuple[ResourceClaim, ...]
) -> list[ReplicaStatus]:
    """Where each replica is; what was known stays once its claim holds nothing any more."""
    cards = {claim.metadata.name: _cards(claim) for claim in claims}
    return [
        ReplicaStatus(
            rank=replica.rank,
            pod=replica.name,
            node=replica.where,
            cards=cards.get(replica.name) or (replica.known.cards if replica.known else []),
        )
        for replica in replicas
        if replica.where
    ]


def _cards(claim: ResourceClaim) -> list[str]:
    if claim.status.allocation is None:
        return []
    results = claim.status.allocation.devices.results
    return [result.device for result in results if result.driver == DRIVER]


def _started(replicas: tuple[Replica, ...]) -> str | None:
    """When the first replica started."""
    return min(filter(None, (replica.started_at for replica in replicas)), default=None)


def _finished(replicas: tuple[Replica, ...]) -> str | None:
    """When the last replica ended, if all that is known of them is in their pods."""
    over = (r.finished_at for r in replicas if r.state in (State.SUCCEEDED, State.FAILED))
    return max(filter(None, over), default=None)

"""Which failure people see, in words, and whether it may be tried again.

The first by time of what went wrong, whatever the order in which the facts arrive. What dies
later because this run's own replicas were being ended never masks it.
"""

import signal
from enum import StrEnum
from typing import Final

from shoal.api.meta import find_condition
from shoal.api.pod import DISRUPTED, EVICTION, TerminatedState
from shoal.api.run import Failure, RetryCause, Run
from shoal.core.replica import problem, time_limit_seconds
from shoal.core.runs.plan import Observed
from shoal.core.runs.replicas import Replica, State, asked_to_end
from shoal.core.runs.signals import say_signal
from shoal.units.duration import say_duration
from shoal.units.errors import UnitError
from shoal.units.instant import format_instant, parse_instant
from shoal.units.quantity import parse_mib


class FailureReason(StrEnum):
    """The codes of failures that have rules or words of their own; a pod may carry others."""

    OUT_OF_MEMORY = "OOMKilled"
    TIME_LIMIT = "DeadlineExceeded"
    NODE_REBOOTED = "NodeRebooted"
    NODE_LOST = "NodeLost"
    """Nobody answers for the node any more, as after a restore."""
    POD_DELETED = "PodDeleted"
    INVALID = "InvalidSpec"
    REFUSED = "Refused"
    """The server would not make one of the run's objects."""
    START_ERROR = "StartError"
    """The program could not be started; the message says why."""
    KEEPER_KILLED = "KeeperKilled"
    """The program's keeper was killed, and the program with it."""
    RECORD_REMOVED = "RecordRemoved"
    """Somebody removed what the program's end would have been told by."""


_WOULD_SAVE: Final = f"; retry: {{max: 1, on: [{RetryCause.EVICTED}]}} would have started it again"
_ENDING_SIGNALS: Final = (signal.SIGTERM, signal.SIGKILL)
_WITHOUT_AN_END: Final = frozenset(
    {FailureReason.TIME_LIMIT, FailureReason.NODE_REBOOTED, FailureReason.NODE_LOST}
)
"""Reasons for which a pod fails though nobody saw its program end."""
_NO_CAUSE: Final = frozenset(
    {
        FailureReason.TIME_LIMIT,
        FailureReason.INVALID,
        FailureReason.REFUSED,
        FailureReason.START_ERROR,
    }
)


def first_failure(
    run: Run, replicas: tuple[Replica, ...], seen: Observed, now: int
) -> Failure | None:
    """The first thing that went wrong in this attempt; None while nothing has."""
    recorded = run.status.failure
    if sentence := seen.malformed or problem(run.spec):
        invalid = Failure(
            reason=FailureReason.INVALID, message=sentence, finished_at=format_instant(now)
        )
        return recorded or invalid
    deaths = [death for replica in replicas if (death := _death(run, replica, now)) is not None]
    real = [death for death in deaths if not _ours(run, replicas[death.rank], death)]
    if recorded is not None:
        real.insert(0, recorded)
    if not real and not run.spec.stop:
        # Somebody else shortened the pods' deadlines: that is what happened, then.
        real = deaths
    return min(real, key=lambda death: _at(death.finished_at, now), default=None)


def retry_cause(failure: Failure) -> RetryCause | None:
    """The cause by which a retry is allowed; None for what would only happen again."""
    if failure.reason in _NO_CAUSE:
        return None
    if failure.reason in (FailureReason.NODE_REBOOTED, FailureReason.NODE_LOST):
        return RetryCause.NODE_LOST
    if failure.reason == FailureReason.POD_DELETED:
        return RetryCause.EVICTED
    out_of_memory = failure.reason == FailureReason.OUT_OF_MEMORY
    return RetryCause.OUT_OF_MEMORY if out_of_memory else RetryCause.ERROR


def time_limit_words(run: Run) -> str:
    """``time limit 12h``."""
    return f"time limit {say_duration(time_limit_seconds(run.spec))}"


def _death(run: Run, replica: Replica, now: int) -> Failure | None:
    """What went wrong with one replica, if anything did."""
    deleted = _deleted(run, replica, now)
    if replica.state is not State.FAILED:
        return deleted if replica.state is not State.SUCCEEDED else None
    failed = _failed(run, replica, now)
    if deleted is None or _at(failed.finished_at, now) < _at(deleted.finished_at, now):
        return failed
    return deleted


def _deleted(run: Run, replica: Replica, now: int) -> Failure | None:
    """Somebody deleted the pod of a replica that had a node, while nobody wanted a stop."""
    asked = _deletion_asked(replica, now)
    if run.spec.stop or asked is None:
        return None
    saves = run.spec.retry.max and RetryCause.EVICTED in run.spec.retry.on
    return Failure(
        rank=replica.rank,
        pod=replica.name,
        reason=FailureReason.POD_DELETED,
        message=_deletion_words(replica) + ("" if saves else _WOULD_SAVE),
        finished_at=format_instant(asked),
    )


def _deletion_words(replica: Replica) -> str:
    conditions = replica.pod.status.conditions if replica.pod is not None else []
    why = find_condition(conditions, DISRUPTED)
    if why is None or why.status != "True":
        return f"pod {replica.name} was deleted"
    told = ", as kubectl drain does" if why.reason == EVICTION else f": {why.message}"
    return f"pod {replica.name} was evicted{told}"


def _deletion_asked(replica: Replica, now: int) -> int | None:
    if replica.state is State.GONE:
        return now
    if replica.pod is None or replica.state is State.WAITING:
        return None
    metadata = replica.pod.metadata
    if metadata.deletion_timestamp is None:
        return None
    # The timestamp is when the grace period is over, not when the deletion was asked for.
    grace_ms = 1000 * (metadata.deletion_grace_period_seconds or 0)
    return min(_at(metadata.deletion_timestamp, now) - grace_ms, now)


def _failed(run: Run, replica: Replica, now: int) -> Failure:
    ended = replica.main.terminated or TerminatedState()
    return Failure(
        rank=replica.rank,
        pod=replica.name,
        exit_code=ended.exit_code,
        signal=ended.signal,
        reason=_reason(replica),
        message=_words(run, replica, ended, _reason(replica)),
        finished_at=replica.finished_at or format_instant(now),
    )


def _reason(replica: Replica) -> str:
    assert replica.pod is not None, "a failed replica has a pod"
    told, ended = replica.pod.status.reason, replica.main.terminated
    if told not in _WITHOUT_AN_END and (ended is None or ended.reason == FailureReason.START_ERROR):
        # The pod's own reason, if it has one, is the agent's for not even trying.
        return FailureReason.START_ERROR
    return told or (ended.reason if ended is not None else "") or "Error"


def _words(run: Run, replica: Replica, ended: TerminatedState, reason: str) -> str:
    assert replica.pod is not None, "a failed replica has a pod"
    who = f"replica {replica.rank}"
    told = ended.message or replica.pod.status.message
    match reason:
        case FailureReason.NODE_REBOOTED:
            return f"node {replica.where} rebooted"
        case FailureReason.START_ERROR:
            return f"{who}: {told}" if run.spec.replicas > 1 else told
        case FailureReason.TIME_LIMIT:
            limited = time_limit_seconds(run.spec) > 0
            return f"{who} was stopped" + (f": {time_limit_words(run)}" if limited else "")
        case FailureReason.OUT_OF_MEMORY:
            why = f"(out of memory{_memory_limit(run)})"
            of_its = "" if ended.signal == signal.SIGKILL else " after a process of it was killed"
            return f"{who} {_ended_words(ended, told)}{of_its} {why}"
        case FailureReason.KEEPER_KILLED | FailureReason.RECORD_REMOVED:
            with_it = "with its keeper" if reason == FailureReason.KEEPER_KILLED else f"({told})"
            return f"{who} was killed {with_it}"
    ended_so = _ended_words(ended, told or reason)
    return f"{who} was lost: {told}" if reason == FailureReason.NODE_LOST else f"{who} {ended_so}"


def _ended_words(ended: TerminatedState, otherwise: str) -> str:
    if ended.signal:
        return f"was killed by {say_signal(ended.signal)}"
    return f"exited with {ended.exit_code}" if ended.exit_code else f"failed: {otherwise}"


def _memory_limit(run: Run) -> str:
    if run.spec.memory == "":
        return ""
    mib = parse_mib(run.spec.memory)
    return f": {mib / 1024:.1f} GiB limit" if mib >= 1024 else f": {mib} MiB limit"


def _ours(run: Run, replica: Replica, death: Failure) -> bool:
    """Whether a replica died because this run was ending it."""
    if replica.pod is None or not asked_to_end(run, replica.pod):
        return False
    if death.reason == FailureReason.TIME_LIMIT:
        return True
    # Without a stop the request follows a failure, so that an ending by signal is later than
    # that failure, or older than the request. With a stop nothing else tells them apart.
    signalled = death.signal in _ENDING_SIGNALS and death.reason != FailureReason.OUT_OF_MEMORY
    return signalled and run.spec.stop


def _at(text: str, now: int) -> int:
    try:
        return parse_instant(text)
    except UnitError:
        return now

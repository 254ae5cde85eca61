"""``decide``: the one door of the run state machine."""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from shoal.api.kinds import GANGS, PODS, RESOURCE_CLAIMS, Kind
from shoal.api.meta import Object
from shoal.api.pod import Pod
from shoal.api.run import Failure, Run, RunPhase, RunStatus
from shoal.core.replica import claim_of, gang_name, gang_object, pod_object, time_limit_seconds
from shoal.core.runs import status as statuses
from shoal.core.runs.failures import FailureReason, first_failure, retry_cause
from shoal.core.runs.pauses import pause_left
from shoal.core.runs.phases import check
from shoal.core.runs.plan import Action, Create, Delete, End, Observed, Plan
from shoal.core.runs.replicas import Replica, State, asked_to_end, attempt_of, read_replicas
from shoal.core.runs.words import ending_words, unknown_words, waiting_words
from shoal.units.instant import format_instant

KEPT_ATTEMPTS: Final = 3
"""Of how many attempts, the current one included, the pods are kept for their logs."""

_UNPLACED: Final = (State.ABSENT, State.WAITING)


class _Look(msgspec.Struct, frozen=True):
    """One look at a run: what is read once and used by every rule."""

    run: Run
    seen: Observed
    now: int
    replicas: tuple[Replica, ...]
    failure: Failure | None

    @property
    def status(self) -> RunStatus:
        """The recorded status with what the objects add to it."""
        observed = statuses.observe(self.run, self.replicas, self.seen.claims)
        return replace(observed, failure=self.failure)


def decide(run: Run, seen: Observed, now: int) -> Plan:
    """What a run's status should say and what is to be done, at ``now`` in ms since the epoch.

    Raises InvalidTransition where the facts contradict the run's recorded status.
    """
    if run.metadata.deletion_timestamp is not None:
        return Plan(run.status)
    if run.status.phase.ended:
        return Plan(run.status, _clear(run, run.status, seen))
    replicas = read_replicas(run, seen.pods)
    return _decide(_Look(run, seen, now, replicas, first_failure(run, replicas, seen, now)))


def refused(plan: Plan, name: str, sentence: str, now: int) -> RunStatus:
    """The planned status of a run for which the server would not make an object."""
    failure = Failure(
        pod=name,
        reason=FailureReason.REFUSED,
        message=f"{name} cannot be made: {sentence}",
        finished_at=format_instant(now),
    )
    return replace(plan.status, failure=plan.status.failure or failure)


def name_taken(plan: Plan, kind: Kind[Any], name: str) -> RunStatus:
    """The planned status of a run that waits for a name which another's object has."""
    sentence = f"waits until the {kind.name} {name}, which is not this run's, is deleted"
    return replace(plan.status, message=sentence, reason="NameTaken")


def _decide(look: _Look) -> Plan:
    states = {replica.state for replica in look.replicas}
    if look.failure is None and states == {State.SUCCEEDED}:
        return _finish(look, RunPhase.SUCCEEDED)
    if look.failure is None and not look.run.spec.stop:
        return _carry_on(look)
    if not all(replica.over for replica in look.replicas):
        return _wind_down(look)
    if look.failure is not None and _may_retry(look.run, look.failure):
        return _restart(look, look.failure)
    return _finish(look, _last_phase(look.run, look.failure))


def _carry_on(look: _Look) -> Plan:
    """Nothing has gone wrong: make what is missing and tell how far it is."""
    if left := pause_left(look.run, look.replicas, look.now):
        return Plan(look.status, _clear(look.run, look.status, look.seen), look.now + left)
    phase = _phase(look.replicas, look.seen.silent)
    check(look.run, phase, look.replicas)
    if phase is RunPhase.UNKNOWN:
        words = unknown_words(look.replicas, look.seen.silent)
    else:
        words = waiting_words(look.run, phase, look.replicas, look.now)
    status = statuses.going(look.status, phase, words, look.now)
    actions = (*_missing(look), *_clear(look.run, status, look.seen))
    return Plan(status, actions, words.wake_at)


def _phase(replicas: tuple[Replica, ...], silent: frozenset[str]) -> RunPhase:
    if any(r.state in _UNPLACED for r in replicas):
        return RunPhase.QUEUED
    if any(r.where in silent and not r.over for r in replicas):
        return RunPhase.UNKNOWN
    started = all(r.state in (State.RUNNING, State.SUCCEEDED) for r in replicas)
    return RunPhase.RUNNING if started else RunPhase.STARTING


def _missing(look: _Look) -> list[Action]:
    run = look.run
    unplaced = [r for r in look.replicas if r.state in _UNPLACED]
    absent = [r for r in unplaced if r.state is State.ABSENT]
    pods = [Create(PODS, r.name, pod_object(run, r.rank)) for r in absent]
    return [*_missing_gang(look, unplaced), *_missing_claims(look, unplaced), *pods]


def _missing_gang(look: _Look, unplaced: list[Replica]) -> list[Action]:
    name = gang_name(look.run.metadata.name, look.run.status.attempt)
    there = any(gang.metadata.name == name for gang in look.seen.gangs)
    if there or not unplaced or look.run.spec.replicas == 1:
        return []
    return [Create(GANGS, name, gang_object(look.run))]


def _missing_claims(look: _Look, unplaced: list[Replica]) -> list[Action]:
    if not look.run.spec.gpu:
        return []
    there = {claim.metadata.name for claim in look.seen.claims}
    return [
        Create(RESOURCE_CLAIMS, r.name, claim_of(look.run, r.rank))
        for r in unplaced
        if r.name not in there
    ]


def _wind_down(look: _Look) -> Plan:
    """Something has gone wrong or a stop was asked for: end what is not over yet."""
    words = ending_words(look.run, look.failure, look.replicas, look.now)
    status = statuses.ending(look.status, words, look.now)
    stops = [_stop(look.run, r.pod) for r in look.replicas if r.pod is not None and not r.over]
    actions = [action for action in stops if action is not None]
    return Plan(status, (*actions, *_clear(look.run, status, look.seen)), words.wake_at)


def _may_retry(run: Run, failure: Failure) -> bool:
    retry = run.spec.retry
    allowed = retry_cause(failure) in retry.on and run.status.restarts < retry.max
    return allowed and not run.spec.stop


def _last_phase(run: Run, failure: Failure | None) -> RunPhase:
    if failure is None:
        return RunPhase.STOPPED
    limited = failure.reason == FailureReason.TIME_LIMIT and time_limit_seconds(run.spec) > 0
    return RunPhase.TIMED_OUT if limited else RunPhase.FAILED


def _restart(look: _Look, failure: Failure) -> Plan:
    """Queue the next attempt; its objects are made once this status has been written."""
    status = statuses.restarted(look.status, failure, look.run.spec.retry.max, look.now)
    return Plan(status, _clear(look.run, status, look.seen))


def _finish(look: _Look, phase: RunPhase) -> Plan:
    check(look.run, phase, look.replicas)
    status = statuses.ended(look.run, look.status, phase, look.replicas, look.now)
    return Plan(status, _clear(look.run, status, look.seen))


def _clear(run: Run, status: RunStatus, seen: Observed) -> tuple[Action, ...]:
    """Take back what no attempt needs any more. Pods stay for their logs, as long as bounded."""
    actions: list[Action | None] = [
        _delete(kind, obj)
        for kind, objects in ((RESOURCE_CLAIMS, seen.claims), (GANGS, seen.gangs))
        for obj in objects
        if _past(status, obj)
    ]
    for pod in seen.pods:
        if attempt_of(pod) <= status.attempt - KEPT_ATTEMPTS:
            actions.append(_delete(PODS, pod))
        elif _past(status, pod) and not pod.finished:
            actions.append(_stop(run, pod))
    return tuple(action for action in actions if action is not None)


def _past(status: RunStatus, obj: Object) -> bool:
    return status.phase.ended or attempt_of(obj) != status.attempt


def _stop(run: Run, pod: Pod) -> Action | None:
    """How to end a pod: one without a node is deleted, one with a node keeps its logs."""
    if not pod.spec.node_name:
        return _delete(PODS, pod)
    if asked_to_end(run, pod) or pod.metadata.deletion_timestamp is not None:
        return None
    return End(pod.metadata.name, pod.metadata.uid)


def _delete(kind: Kind[Any], obj: Object) -> Delete | None:
    if obj.metadata.deletion_timestamp is not None:
        return None
    return Delete(kind, obj.metadata.name, obj.metadata.uid)

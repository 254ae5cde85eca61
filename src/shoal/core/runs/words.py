"""What a run waits for, in one sentence, and when that wait has become suspicious.

Every state has a deadline after which it says so; nothing is given up at it.
"""

from typing import Final

from shoal.api.meta import find_condition
from shoal.api.run import Failure, Run, RunPhase
from shoal.core.runs.conditions import PLACED, STOPPING, Words, since
from shoal.core.runs.replicas import Replica, State

PATIENCE_MS: Final = 30_000
"""How long a scheduler or an agent may say nothing before the run's message tells."""
ENDING_PATIENCE_MS: Final = 60_000
"""How long replicas may take to end: the default grace of 30 s, and as much again."""
_UNKNOWN: Final = "NodeUnknown"


def waiting_words(run: Run, phase: RunPhase, replicas: tuple[Replica, ...], now: int) -> Words:
    """What a run that goes its way waits for; nothing once it runs."""
    if phase is RunPhase.RUNNING:
        return Words()
    told = _queued(replicas) if phase is RunPhase.QUEUED else _starting(replicas)
    if told.message:
        return told
    if run.status.phase is not phase:
        return Words(wake_at=now + PATIENCE_MS)
    due = since(run.status.conditions, PLACED, now) + PATIENCE_MS
    if now < due:
        return Words(_restart_words(run), wake_at=due)
    return Words(_silence(phase, replicas), "Silent")


def unknown_words(replicas: tuple[Replica, ...], silent: frozenset[str]) -> Words:
    """Of a run that is on nodes of which nothing is heard."""
    names = dict.fromkeys(r.where for r in replicas if r.where in silent and not r.over)
    sentence = f"nothing is heard of {', '.join(names)}; it may go on, and keeps its cards"
    return Words(sentence, _UNKNOWN)


def ending_words(
    run: Run, failure: Failure | None, replicas: tuple[Replica, ...], now: int
) -> Words:
    """What a run that is being ended waits for."""
    due = since(run.status.conditions, STOPPING, now) + ENDING_PATIENCE_MS
    reason = failure.reason if failure is not None else "Stop"
    if now < due:
        message = f"{failure.message}; ending the others" if failure is not None else "stopping"
        return Words(message, reason, due)
    late = next(r for r in replicas if not r.over)
    where = late.where or "its node"
    return Words(f"{where} has not ended replica {late.rank} yet, whose cards stay held", reason)


def _queued(replicas: tuple[Replica, ...]) -> Words:
    for replica in replicas:
        if replica.pod is not None and replica.state is State.WAITING:
            condition = find_condition(replica.pod.status.conditions, "PodScheduled")
            if condition is not None and condition.message:
                return Words(condition.message, condition.reason)
    return Words()


def _starting(replicas: tuple[Replica, ...]) -> Words:
    for replica in replicas:
        waiting = replica.main.waiting
        if waiting is not None and waiting.message:
            return Words(f"replica {replica.rank}: {waiting.message}", waiting.reason)
    return Words()


def _restart_words(run: Run) -> str:
    """What was told when the run was queued again, until there is something newer."""
    queued_again = run.status.restarts > 0 and run.status.phase is RunPhase.QUEUED
    return run.status.message if queued_again else ""


def _silence(phase: RunPhase, replicas: tuple[Replica, ...]) -> str:
    waited = f"for {PATIENCE_MS // 1000}s; see shoal doctor"
    if phase is RunPhase.QUEUED:
        return f"the scheduler has not answered {waited}"
    late = next(replica for replica in replicas if replica.state is State.PLACED)
    return f"{late.where} has not started replica {late.rank} {waited}"

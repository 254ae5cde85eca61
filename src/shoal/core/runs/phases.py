"""Which state may follow which, and the story told when that is broken."""

from typing import Final

from shoal.api.run import Run, RunPhase
from shoal.core.runs.replicas import Replica

_ENDED: Final = frozenset(phase for phase in RunPhase if phase.ended)
_NEXT: Final[dict[RunPhase, frozenset[RunPhase]]] = {
    RunPhase.QUEUED: frozenset(RunPhase),
    RunPhase.STARTING: _ENDED | {RunPhase.STARTING, RunPhase.RUNNING, RunPhase.UNKNOWN},
    RunPhase.RUNNING: _ENDED | {RunPhase.RUNNING, RunPhase.UNKNOWN},
    RunPhase.UNKNOWN: _ENDED | {RunPhase.STARTING, RunPhase.RUNNING, RunPhase.UNKNOWN},
}


class InvalidTransition(Exception):
    """A run would go where it cannot: the facts contradict what its status says."""

    def __init__(self, run: Run, to: RunPhase, replicas: tuple[Replica, ...]) -> None:
        self.run = f"{run.metadata.namespace}/{run.metadata.name}"
        self.before = run.status.phase
        self.to = to
        self.story = _story(run, replicas)
        told = "".join(f"\n  {line}" for line in self.story)
        super().__init__(f"run {self.run} cannot go from {self.before} to {to}; its story:{told}")


def check(run: Run, to: RunPhase, replicas: tuple[Replica, ...]) -> None:
    """Within an attempt a run only moves forward. Raises InvalidTransition."""
    if to not in _NEXT.get(run.status.phase, frozenset()):
        raise InvalidTransition(run, to, replicas)


def _story(run: Run, replicas: tuple[Replica, ...]) -> tuple[str, ...]:
    status = run.status
    past = [
        f"{c.last_transition_time} {c.type} {c.status} {c.reason} {c.message}".rstrip()
        for c in sorted(status.conditions, key=lambda c: c.last_transition_time or "")
    ]
    present = [f"{r.name} is {r.state} {r.where}".rstrip() for r in replicas]
    return (f"attempt {status.attempt}, {status.phase}: {status.message}", *past, *present)

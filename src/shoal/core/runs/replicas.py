"""What the objects say of each replica of a run's current attempt."""

from enum import StrEnum

import msgspec

from shoal.api.meta import ANNOTATION_FINISHED, ANNOTATION_STARTED, LABEL_ATTEMPT, Object
from shoal.api.pod import ContainerState, Pod
from shoal.api.run import ReplicaStatus, Run
from shoal.core.replica import MAIN, replica_name, time_limit_seconds


class State(StrEnum):
    """Where a replica stands, by its pod."""

    ABSENT = "absent"
    """Not made yet, or taken back before it had a node."""
    WAITING = "waiting"
    """It has no node."""
    PLACED = "placed"
    """It has a node and has not started."""
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    GONE = "gone"
    """It had a node, and its pod was deleted."""


END_SECONDS = 1
"""``activeDeadlineSeconds`` of a bound pod that is to end: the shortest that is allowed."""

_OVER = frozenset({State.ABSENT, State.SUCCEEDED, State.FAILED, State.GONE})
_ENDED = {"Succeeded": State.SUCCEEDED, "Failed": State.FAILED}


class Replica(msgspec.Struct, frozen=True):
    """One copy of the program. ``known`` is what the run's status says of its place."""

    rank: int
    name: str
    state: State
    pod: Pod | None = None
    known: ReplicaStatus | None = None

    @property
    def over(self) -> bool:
        """Whether nothing of it runs, or ever will without a new pod."""
        return self.state in _OVER

    @property
    def where(self) -> str:
        """The name of its node, if it has or had one."""
        if self.pod is not None and self.pod.spec.node_name:
            return self.pod.spec.node_name
        return self.known.node if self.known is not None else ""

    @property
    def main(self) -> ContainerState:
        """What its program is doing."""
        statuses = self.pod.status.container_statuses if self.pod is not None else []
        return next((s.state for s in statuses if s.name == MAIN), ContainerState())

    @property
    def started_at(self) -> str:
        """When its program started: to the millisecond where the agent tells that."""
        told = self.main.running or self.main.terminated
        return self._noted(ANNOTATION_STARTED) or (told and told.started_at) or ""

    @property
    def finished_at(self) -> str:
        """When its program ended: to the millisecond where the agent tells that."""
        ended = self.main.terminated
        return (ended and (self._noted(ANNOTATION_FINISHED) or ended.finished_at)) or ""

    def _noted(self, annotation: str) -> str:
        return self.pod.metadata.annotations.get(annotation, "") if self.pod is not None else ""


def read_replicas(run: Run, pods: tuple[Pod, ...]) -> tuple[Replica, ...]:
    """The replicas of the current attempt in the order of their ranks."""
    by_name = {pod.metadata.name: pod for pod in pods}
    known = {entry.pod: entry for entry in run.status.replicas}
    names = (
        replica_name(run.metadata.name, r, run.status.attempt) for r in range(run.spec.replicas)
    )
    return tuple(
        Replica(
            rank,
            name,
            _state(by_name.get(name), known.get(name)),
            by_name.get(name),
            known.get(name),
        )
        for rank, name in enumerate(names)
    )


def attempt_of(obj: Object) -> int:
    """The attempt that an object was made for."""
    label = obj.metadata.labels.get(LABEL_ATTEMPT, "")
    return int(label) if label.isascii() and label.isdigit() else 0


def asked_to_end(run: Run, pod: Pod) -> bool:
    """Whether the pod's deadline is the one that ``End`` sets rather than the run's limit."""
    return (
        pod.spec.active_deadline_seconds == END_SECONDS
        and time_limit_seconds(run.spec) != END_SECONDS
    )


def _state(pod: Pod | None, known: ReplicaStatus | None) -> State:
    if pod is None:
        return State.GONE if known is not None and known.node else State.ABSENT
    if ended := _ENDED.get(pod.status.phase):
        return ended
    if not pod.spec.node_name:
        return State.WAITING
    return State.RUNNING if pod.status.phase == "Running" else State.PLACED

"""A world of one run: it carries out plans at once and lets tests play scheduler and agent."""

from typing import Any

import msgspec
from msgspec.structs import replace

from shoal.api.claim import ResourceClaim
from shoal.api.gang import Gang
from shoal.api.meta import Condition, ObjectMeta
from shoal.api.pod import (
    ContainerState,
    ContainerStatus,
    Pod,
    RunningState,
    TerminatedState,
    WaitingState,
)
from shoal.api.run import Run, RunSpec
from shoal.core.runs import Create, Delete, End, Observed, Plan, decide
from shoal.units.instant import format_instant

SECOND = 1000
START = 1_700_000_000 * SECOND
LONG_AGO = START - 3600 * SECOND


class World:
    """Everything that exists of one run, and the time."""

    def __init__(self, **spec: Any) -> None:
        self.now = START
        metadata = ObjectMeta(name="digits", namespace="default", uid="run-uid", generation=1)
        self.run = Run(metadata=metadata, spec=RunSpec(**{"run": "true", **spec}))
        self.pods: dict[str, Pod] = {}
        self.claims: dict[str, ResourceClaim] = {}
        self.gangs: dict[str, Gang] = {}
        self.made: list[str] = []
        self.silent: set[str] = set()

    def look(self) -> Plan:
        """What the machine says of the world as it is; nothing is carried out."""
        return decide(self.run, self.seen(), self.now)

    def seen(self) -> Observed:
        return Observed(
            tuple(self.pods.values()),
            tuple(self.claims.values()),
            tuple(self.gangs.values()),
            silent=frozenset(self.silent),
        )

    def advance(self) -> Plan:
        """Carry out what the machine says, once."""
        plan = self.look()
        for action in plan.actions:
            self._do(action)
        self.run = replace(self.run, status=plan.status)
        return plan

    def settle(self) -> "World":
        """Carry out until nothing is left to do; a bounded number of rounds must be enough."""
        for _ in range(6):
            before = self.run.status
            if not self.advance().actions and self.run.status == before:
                return self
        raise AssertionError(f"it never comes to rest: {self.look()}")

    def rest(self, seconds: int) -> None:
        self.now += seconds * SECOND
        self.settle()

    def stop(self) -> None:
        self.run = replace(self.run, spec=replace(self.run.spec, stop=True))

    def pod(self, rank: int = 0) -> Pod:
        """The pod of a rank in the current attempt."""
        attempt = self.run.status.attempt
        return self.pods[f"digits-{rank}" + (f"-r{attempt}" if attempt else "")]

    def unschedulable(self, reason: str, message: str, rank: int = 0) -> None:
        condition = Condition("PodScheduled", "False", reason, message)
        self._status(self.pod(rank), conditions=[condition])

    def bind(self, *ranks: int, node: str = "box1") -> None:
        for rank in ranks or (0,):
            pod = self.pod(rank)
            self._put(replace(pod, spec=replace(pod.spec, node_name=node)))

    def wait(self, reason: str, message: str, rank: int = 0) -> None:
        """The agent says why a bound pod has not started."""
        self._main(rank, "Pending", ContainerState(waiting=WaitingState(reason, message)))

    def start(self, *ranks: int) -> None:
        for rank in ranks or (0,):
            running = RunningState(format_instant(self.now))
            self._main(rank, "Running", ContainerState(running=running))

    def launch(self, *ranks: int) -> None:
        """Bind and start."""
        self.bind(*ranks)
        self.start(*ranks)

    def exit(self, rank: int = 0, code: int = 0, *, reason: str = "", **ended: Any) -> None:
        """A program ends, as its agent tells it; ``reason`` is the pod's."""
        told = TerminatedState(
            exit_code=code,
            finished_at=ended.pop("finished_at", format_instant(self.now)),
            **ended,
        )
        good = code == 0 and not reason and not told.signal
        self._main(rank, "Succeeded" if good else "Failed", ContainerState(terminated=told))
        self._status(self.pod(rank), reason=reason)

    def fail(self, rank: int, reason: str, message: str = "") -> None:
        """A pod fails without anybody having seen its program end."""
        self._status(self.pod(rank), phase="Failed", reason=reason, message=message)

    def delete_pod(self, rank: int = 0) -> None:
        """Somebody deletes a pod, and its agent lets it go at once."""
        del self.pods[self.pod(rank).metadata.name]

    def asked(self, rank: int = 0) -> bool:
        """Whether the replica has been asked to end."""
        return self.pod(rank).spec.active_deadline_seconds == 1

    def _main(self, rank: int, phase: str, state: ContainerState) -> None:
        statuses = [ContainerStatus(name="main", state=state)]
        self._status(self.pod(rank), phase=phase, container_statuses=statuses)

    def _status(self, pod: Pod, **fields: Any) -> None:
        self._put(replace(pod, status=replace(pod.status, **fields)))

    def _put(self, pod: Pod) -> None:
        self.pods[pod.metadata.name] = pod

    def _do(self, action: Create | Delete | End) -> None:
        if isinstance(action, Create):
            self._create(action)
        elif isinstance(action, End):
            pod = self.pods[action.name]
            self._put(replace(pod, spec=replace(pod.spec, active_deadline_seconds=1)))
        else:
            del self._kept(action.kind.plural)[action.name]

    def _create(self, create: Create) -> None:
        kept = self._kept(create.kind.plural)
        assert create.name not in kept, f"{create.name} is made twice"
        obj = msgspec.convert(create.body, create.kind.view)
        assert obj.metadata.owner_references[0].uid == "run-uid"
        obj.metadata.uid = f"uid-{len(self.made)}"
        kept[create.name] = obj
        self.made.append(f"{create.kind.name} {create.name}")

    def _kept(self, plural: str) -> dict[str, Any]:
        return {"pods": self.pods, "resourceclaims": self.claims, "gangs": self.gangs}[plural]

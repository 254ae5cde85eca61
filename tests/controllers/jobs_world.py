"""A world of one job: it carries out plans write by write, and may be killed between any two."""

from typing import Any

from msgspec.structs import replace

from shoal.api.job import COMPLETION_INDEX, INDEX_FAILURES, TRACKING, Job, JobSpec
from shoal.api.meta import ObjectMeta
from shoal.api.pod import (
    ContainerState,
    ContainerStatus,
    Pod,
    PodSpec,
    PodStatus,
    TerminatedState,
)
from shoal.controllers.builtin.jobs.plan import Plan, plan_job
from shoal.controllers.builtin.jobs.times import Watches

TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "host"}]}}


class Killed(Exception):
    """The controller dies here."""


class World:
    """Everything that exists of one job, as the server has it, and the time."""

    def __init__(self, **spec: Any) -> None:
        self.now = 1_700_000_000.0
        metadata = ObjectMeta(name="j", namespace="default", uid="job-uid", resource_version="1")
        self.job = Job(metadata=metadata, spec=JobSpec(**{"template": TEMPLATE, **spec}))
        self.pods: dict[str, Pod] = {}
        self.made: list[str] = []
        self.ended: dict[str, str] = {}
        """Every pod's end by its uid, as its agent saw it."""
        self.most_active = 0
        self.writes_left: int | None = None
        self.watches = self._watches()

    def look(self, pods: dict[str, Pod] | None = None) -> Plan:
        seen = tuple((self.pods if pods is None else pods).values())
        return plan_job(self.job, seen, self.watches.times(self.job, seen))

    def advance(self, pods: dict[str, Pod] | None = None) -> Plan:
        """Carry out a plan in the controller's order; ``pods`` is a copy that lags behind."""
        plan = self.look(pods)
        for body in plan.create:
            self._write()
            self._create(body)
        if plan.status != self.job.status:
            self._write()
            self.job = replace(self.job, status=plan.status)
        for pod in plan.release:
            self._write()
            self._release(pod)
        for pod in plan.delete:
            self._write()
            self._delete(pod)
        return plan

    def advance_until_killed(self, writes: int, pods: dict[str, Pod] | None = None) -> None:
        """Carry out a plan, but die after so many writes; a new controller takes over."""
        self.writes_left = writes
        try:
            self.advance(pods)
        except Killed:
            self.watches = self._watches()
        finally:
            self.writes_left = None

    def advance_lagging(self, pods: dict[str, Pod]) -> None:
        """Carry out a plan made from an old copy, as a second controller would for a moment."""
        plan = self.look(pods)
        fresh = [self.pods.get(pod.metadata.name) for pod in plan.noted]
        if all(pod is not None and TRACKING in pod.metadata.finalizers for pod in fresh):
            self.advance(pods)

    def settle(self) -> "World":
        """Carry out until nothing is left to do; a bounded number of rounds must be enough."""
        for _ in range(20):
            before = self.job.status, dict(self.pods)
            if self.job.finished:
                return self
            self.advance()
            if (self.job.status, self.pods) == before:
                return self
        raise AssertionError(f"it never comes to rest: {self.look()}")

    def rest(self, seconds: float) -> "World":
        self.now += seconds
        return self.settle()

    def patch(self, **spec: Any) -> "World":
        self.job = replace(self.job, spec=replace(self.job.spec, **spec))
        return self.settle()

    def running(self) -> list[str]:
        """Names of the pods that have neither ended nor are on their way out."""
        return [
            name
            for name, pod in sorted(self.pods.items())
            if not pod.finished and pod.metadata.deletion_timestamp is None
        ]

    def bind(self, name: str) -> None:
        pod = self.pods[name]
        self.pods[name] = replace(pod, spec=replace(pod.spec, node_name="box1"))

    def end(self, name: str, code: int = 0) -> None:
        """A program ends, as its agent tells it."""
        pod = self.pods[name]
        phase = "Failed" if code else "Succeeded"
        terminated = ContainerState(terminated=TerminatedState(exit_code=code))
        status = PodStatus(
            phase=phase, container_statuses=[ContainerStatus(name="c", state=terminated)]
        )
        self.ended[pod.metadata.uid] = phase
        self.pods[name] = replace(pod, status=status)

    def delete(self, name: str) -> None:
        """Somebody deletes a pod."""
        self._delete(self.pods[name])

    def gone(self, name: str) -> None:
        """The agent says that a pod on its way out has ended, or there is no agent to ask."""
        pod = self.pods[name]
        if not pod.finished:
            self.end(name, 143)
        self._drop_if_free(name)

    def conditions(self) -> list[tuple[str, str]]:
        return [
            (one.type, one.reason) for one in self.job.status.conditions if one.status == "True"
        ]

    def _watches(self) -> Watches:
        return Watches(lambda: int(self.now * 1000))

    def _write(self) -> None:
        if self.writes_left is not None:
            if self.writes_left == 0:
                raise Killed
            self.writes_left -= 1

    def _create(self, body: dict[str, Any]) -> None:
        metadata = body["metadata"]
        name = metadata["name"]
        if name in self.pods:
            return  # there already: a pod that was asked for before
        uid = f"uid-{len(self.made)}"
        self.made.append(name)
        annotations = {
            key: value
            for key, value in metadata.get("annotations", {}).items()
            if key in (COMPLETION_INDEX, INDEX_FAILURES)
        }
        self.pods[name] = Pod(
            metadata=ObjectMeta(
                name=name, uid=uid, finalizers=metadata["finalizers"], annotations=annotations
            ),
            spec=PodSpec(restart_policy="Never"),
        )
        self.most_active = max(self.most_active, len(self.running()))

    def _release(self, seen: Pod) -> None:
        """Take the finalizer off, at the version that was seen."""
        name = seen.metadata.name
        pod = self.pods.get(name)
        if pod is None or pod != seen:
            return
        kept = [each for each in pod.metadata.finalizers if each != TRACKING]
        self.pods[name] = replace(pod, metadata=replace(pod.metadata, finalizers=kept))
        self._drop_if_free(name)

    def _delete(self, seen: Pod) -> None:
        name = seen.metadata.name
        pod = self.pods.get(name)
        if pod is None or pod.metadata.uid != seen.metadata.uid:
            return
        when = pod.metadata.deletion_timestamp or "2026-01-01T00:00:00Z"
        self.pods[name] = replace(pod, metadata=replace(pod.metadata, deletion_timestamp=when))
        self._drop_if_free(name)

    def _drop_if_free(self, name: str) -> None:
        """The server removes what is deleted, has no finalizer and is on no node any more."""
        pod = self.pods[name]
        gone = pod.finished or not pod.spec.node_name
        if pod.metadata.deletion_timestamp and not pod.metadata.finalizers and gone:
            del self.pods[name]

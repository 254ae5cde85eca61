"""The job controller: feeds the plan and does what it says, in the plan's order."""

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

import msgspec

from shoal.api.job import COMPLETE, FAILED, JOB_CONTROLLER, SUSPENDED, TRACKING, Job, JobStatus
from shoal.api.kinds import JOBS, PODS, Kind
from shoal.api.meta import Object
from shoal.api.pod import Pod
from shoal.controllers.builtin.jobs.hands import JobHands, Key
from shoal.controllers.builtin.jobs.ledger import take_down
from shoal.controllers.builtin.jobs.plan import Plan, plan_job
from shoal.controllers.builtin.jobs.times import Watches
from shoal.controllers.informers import Informers
from shoal.controllers.loop import together, work
from shoal.controllers.owned import Owned, controller_of
from shoal.controllers.unseen import PATIENCE_S, Unseen
from shoal.kube.client import Client
from shoal.kube.events import Events, note_about
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue
from shoal.units.failpoint import failpoint

_WORKERS: Final = 8
_COMPONENT: Final = "job-controller"


class JobController:
    """Keeps each job's pods as its state asks, counts those that end, and tells its status."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._informers = informers
        self._queue: WorkQueue[Key] = WorkQueue()
        self._lost: WorkQueue[Key] = WorkQueue()
        self._owned: Owned[Pod] = Owned()
        self._watches = Watches()
        self._jobs = informers.follow(JOBS, self._on_job)
        self._pods = informers.follow(PODS, self._on_pod)
        self._unseen: Unseen[Key] = Unseen(self._copy)
        self._events = Events(client, _COMPONENT)
        self._hands = JobHands(client, self._unseen, self._events)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._informers.synced()
        self._watches.know(await take_down(self._client))
        async with asyncio.TaskGroup() as group:
            group.create_task(self._events.run())
            group.create_task(work(self._queue, self._look_at, workers=_WORKERS))
            group.create_task(work(self._lost, self._look_at_lost, workers=_WORKERS))

    def _on_job(self, delta: Delta[Job]) -> None:
        meta = delta.any.metadata
        self._queue.add((meta.namespace, meta.name))
        if delta.new is None:
            for pod in self._owned.of(meta.uid):
                self._lost.add((meta.namespace, pod.metadata.name))

    def _on_pod(self, delta: Delta[Pod]) -> None:
        pod = delta.any
        owner = self._owned.note(delta)
        if delta.new is None:
            self._watches.forget(pod.metadata.uid)
        if owner is not None and owner.kind == JOBS.name:
            self._queue.add((pod.metadata.namespace, owner.name))
        if delta.new is not None and TRACKING in pod.metadata.finalizers:
            self._lost.add((pod.metadata.namespace, pod.metadata.name))

    def _copy(self, kind: Kind[Any], namespace: str, name: str) -> Object | None:
        found: Object | None = (self._jobs if kind is JOBS else self._pods).get(namespace, name)
        return found

    async def _look_at_lost(self, key: Key) -> None:
        """Let go of a pod whose job is gone, or that is no job's any more."""
        pod = self._pods.get(*key)
        if pod is None or TRACKING not in pod.metadata.finalizers:
            return
        owner = controller_of(pod)
        if owner is not None and owner.kind == JOBS.name:
            job = self._jobs.get(key[0], owner.name)
            if job is not None and job.metadata.uid == owner.uid:
                return
            if await self._hands.job_exists(key[0], owner):
                return
        await self._hands.release(key, pod)

    async def _look_at(self, key: Key) -> None:
        job = self._jobs.get(*key)
        if job is None:
            self._unseen.forget(key)
            self._hands.forget(key)
        elif not self._unseen.settled(key):
            self._queue.add_after(key, PATIENCE_S)
        elif job.spec.managed_by in (None, "", JOB_CONTROLLER):
            pods = self._owned.of(job.metadata.uid)
            if job.finished or job.metadata.deletion_timestamp is not None:
                await self._after(key, job, pods)
            else:
                await self._advance(key, job, pods)

    async def _advance(self, key: Key, job: Job, pods: tuple[Pod, ...]) -> None:
        times = self._watches.times(job, pods)
        plan = plan_job(job, pods, times, self._hands.taken(key))
        if not await self._hands.still_tracked(plan.noted):
            self._queue.add_after(key, PATIENCE_S)
            return
        await self._hands.make(key, job, plan.create)
        await self._tell(key, job, plan)
        await self._hands.release_all(key, plan.release)
        await self._hands.delete_all(key, job, plan.delete)
        if plan.wake_in is not None:
            self._queue.add_after(key, plan.wake_in)

    async def _tell(self, key: Key, job: Job, plan: Plan) -> None:
        if plan.status == job.status:
            return
        written = await self._client.replace(
            JOBS, _status_body(job, plan.status), subresource="status"
        )
        failpoint("job.told")
        self._unseen.wrote(key, JOBS, written)
        for reason, message, warning in _news(job.status, plan.status):
            self._events.tell(note_about(JOBS, job, reason, message, warning=warning))

    async def _after(self, key: Key, job: Job, pods: Iterable[Pod]) -> None:
        """A job that is over: nothing of it is counted any more, and in time it goes."""
        over = [
            pod
            for pod in pods
            if TRACKING in pod.metadata.finalizers
            and (pod.finished or pod.metadata.deletion_timestamp is not None)
        ]
        await together(partial(self._hands.release, key, pod) for pod in over)
        ttl = job.spec.ttl_seconds_after_finished
        if ttl is None or job.metadata.deletion_timestamp is not None:
            return
        left = ttl - self._watches.seconds_since(_finished_at(job))
        if left > 0:
            self._queue.add_after(key, left)
        else:
            await self._hands.remove(key, job)


def _finished_at(job: Job) -> str | None:
    last = job.condition(COMPLETE) or job.condition(FAILED)
    return last.last_transition_time if last is not None else None


def _status_body(job: Job, status: JobStatus) -> dict[str, Any]:
    """The body of a PUT to ``/status`` at the version of the job that was read."""
    meta = job.metadata
    return {
        "apiVersion": JOBS.api_version,
        "kind": JOBS.name,
        "metadata": {
            "name": meta.name,
            "namespace": meta.namespace,
            "uid": meta.uid,
            "resourceVersion": meta.resource_version,
        },
        "status": msgspec.to_builtins(status),
    }


def _news(before: JobStatus, after: JobStatus) -> Iterable[tuple[str, str, bool]]:
    """Reason, message and whether it is a warning, of each condition that is new."""
    for one in after.conditions:
        if any((c.type, c.status) == (one.type, one.status) for c in before.conditions):
            continue
        if one.type == COMPLETE:
            yield "Completed", one.message, False
        elif one.type == FAILED:
            yield one.reason, one.message, True
        elif one.type == SUSPENDED:
            yield "Suspended" if one.status == "True" else "Resumed", one.message, False

"""Carrying out a job's plan: few calls, independent ones side by side."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from shoal.api.job import TRACKING, Job
from shoal.api.kinds import JOBS, PODS
from shoal.api.meta import OwnerReference
from shoal.api.pod import Pod
from shoal.controllers.loop import together
from shoal.controllers.owned import controller_of
from shoal.controllers.unseen import Unseen
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.events import Events, note_about
from shoal.units.failpoint import failpoint

Key = tuple[str, str]
"""Namespace and name of a job."""


class JobHands:
    """Writes to the server, each noted as unseen until the copies show it."""

    def __init__(self, client: Client, unseen: Unseen[Key], events: Events) -> None:
        self._client = client
        self._unseen = unseen
        self._events = events
        self._taken: dict[Key, set[str]] = {}

    def taken(self, key: Key) -> frozenset[str]:
        """Names for pods of a job that turned out to be those of other pods."""
        return frozenset(self._taken.get(key, ()))

    def forget(self, key: Key) -> None:
        """A job is gone."""
        self._taken.pop(key, None)

    async def job_exists(self, namespace: str, owner: OwnerReference) -> bool:
        """Whether a pod's job is there. The copy may lag behind, so the server is asked."""
        try:
            job = await self._client.get(JOBS, owner.name, namespace)
        except ApiError as error:
            if error.not_found:
                return False
            raise
        return job.metadata.uid == owner.uid

    async def still_tracked(self, pods: Sequence[Pod]) -> bool:
        """Whether none of these pods was counted by now: the copy of one may be too old."""
        return all(await together(partial(self._is_tracked, pod) for pod in pods))

    async def make(self, key: Key, job: Job, bodies: Iterable[dict[str, Any]]) -> None:
        """Create pods; one that is there already was asked for before, by whomever."""
        await together(partial(self._make, key, job, body) for body in bodies)

    async def release_all(self, key: Key, pods: Iterable[Pod]) -> None:
        """Take the finalizer off pods whose end is on record, or does not matter."""
        await together(partial(self.release, key, pod) for pod in pods)

    async def release(self, key: Key, pod: Pod) -> None:
        """Take the finalizer off one pod, at the version that was looked at."""
        meta = pod.metadata
        if TRACKING not in meta.finalizers:
            return
        kept = [each for each in meta.finalizers if each != TRACKING]
        pinned = {"uid": meta.uid, "resourceVersion": meta.resource_version}
        patch = {"metadata": {**pinned, "finalizers": kept}}
        try:
            changed = await self._client.patch(PODS, meta.name, meta.namespace, patch=patch)
        except ApiError as error:
            if not error.not_found:
                raise
            return
        failpoint("job.released")
        if changed.metadata.deletion_timestamp is None:
            self._unseen.wrote(key, PODS, changed)

    async def delete_all(self, key: Key, job: Job, pods: Iterable[Pod]) -> None:
        """Delete pods that are wanted no more; what is gone already is fine."""
        await together(partial(self._delete, key, job, pod) for pod in pods)

    async def remove(self, key: Key, job: Job) -> None:
        """Delete a job whose time after its end is up, and its pods first."""
        meta = job.metadata
        await self._client.delete(JOBS, *reversed(key), uid=meta.uid, propagation="Foreground")

    async def _is_tracked(self, pod: Pod) -> bool:
        meta = pod.metadata
        try:
            fresh = await self._client.get(PODS, meta.name, meta.namespace)
        except ApiError as error:
            if error.not_found:
                return False
            raise
        return fresh.metadata.uid == meta.uid and TRACKING in fresh.metadata.finalizers

    async def _make(self, key: Key, job: Job, body: dict[str, Any]) -> None:
        name = body["metadata"]["name"]
        try:
            made = await self._client.create(PODS, body, key[0])
        except ApiError as error:
            if error.already_exists:
                await self._meet(key, job, name)
                return
            self._tell(job, "FailedCreate", f"pod {name}: {error.message}", warning=True)
            raise
        failpoint("job.made")
        self._unseen.wrote(key, PODS, made)
        self._tell(job, "SuccessfulCreate", f"made pod {name}", warning=False)

    async def _meet(self, key: Key, job: Job, name: str) -> None:
        """A pod of that name exists: the job's own, else its name is taken for good."""
        there = await self._client.get(PODS, name, key[0])
        owner = controller_of(there)
        if owner is None or owner.uid != job.metadata.uid:
            self._taken.setdefault(key, set()).add(name)
            raise ApiError(409, "Conflict", f"pod {name} is not of job {job.metadata.name}")
        self._unseen.wrote(key, PODS, there)

    async def _delete(self, key: Key, job: Job, pod: Pod) -> None:
        meta = pod.metadata
        try:
            await self._client.delete(PODS, meta.name, meta.namespace, uid=meta.uid)
        except ApiError as error:
            if not (error.not_found or error.conflict):
                raise
            return
        failpoint("job.deleted")
        self._unseen.deleted(key, PODS, meta.namespace, meta.name, meta.uid)
        self._tell(job, "SuccessfulDelete", f"deleted pod {meta.name}", warning=False)

    def _tell(self, job: Job, reason: str, message: str, *, warning: bool) -> None:
        self._events.tell(note_about(JOBS, job, reason, message, warning=warning))

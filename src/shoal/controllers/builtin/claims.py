"""Releasing claims: drops what ended pods reserved, and clears what nobody uses any more.

A claim without consumers loses its allocation and the finalizer that protected it. The card
itself is free only once the node's agent holds it no longer; that is the scheduler's to see.
"""

import asyncio
from typing import Any, Final

from shoal.api.claim import DELETE_PROTECTION, Consumer, ResourceClaim
from shoal.api.kinds import PODS, RESOURCE_CLAIMS
from shoal.api.pod import Pod
from shoal.controllers.builtin.templates import TemplateClaims
from shoal.controllers.informers import Informers
from shoal.controllers.loop import work
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue

Key = tuple[str, str]
_WORKERS: Final = 8


class ClaimController:
    """Follows pods and claims: claims from templates come, unused claims are cleared."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._informers = informers
        self._queue: WorkQueue[Key] = WorkQueue()
        self._pods = informers.follow(PODS, self._on_pod)
        self._claims = informers.follow(RESOURCE_CLAIMS, self._on_claim)
        self._templates = TemplateClaims(client, informers)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._informers.synced()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._templates.run())
            group.create_task(work(self._queue, self._look_at, workers=_WORKERS))

    def _on_pod(self, delta: Delta[Pod]) -> None:
        pod = delta.any
        if delta.new is not None and not pod.finished:
            return
        for _, name in pod.claim_names():
            if name:
                self._queue.add((pod.metadata.namespace, name))

    def _on_claim(self, delta: Delta[ResourceClaim]) -> None:
        claim = delta.new
        if claim is None:
            return
        if claim.status.reserved_for or claim.metadata.deletion_timestamp is not None:
            self._queue.add((claim.metadata.namespace, claim.metadata.name))

    async def _look_at(self, key: Key) -> None:
        claim = self._claims.get(*key)
        if claim is None:
            return
        reserved = claim.status.reserved_for
        past = [consumer for consumer in reserved if await self._is_past(key[0], consumer)]
        if len(past) < len(reserved):
            if past:
                await self._drop(claim, past)
            return
        if past or _left_over(claim):
            await self._clear(claim)

    async def _is_past(self, namespace: str, consumer: Consumer) -> bool:
        """Whether a consumer will not use the claim any more. Only pods are known of."""
        if consumer.resource != "pods":
            return False
        pod = self._pods.get(namespace, consumer.name)
        if pod is None or pod.metadata.uid != consumer.uid:
            pod = await self._fresh(namespace, consumer)
        return pod is None or pod.finished

    async def _fresh(self, namespace: str, consumer: Consumer) -> Pod | None:
        """The pod as the server knows it: the copy may be older than the reservation."""
        try:
            pod = await self._client.get(PODS, consumer.name, namespace)
        except ApiError as error:
            if error.not_found:
                return None
            raise
        return pod if pod.metadata.uid == consumer.uid else None

    async def _drop(self, claim: ResourceClaim, past: list[Consumer]) -> None:
        """Take out some of several consumers."""
        removed = [{"$patch": "delete", "uid": consumer.uid} for consumer in past]
        patch = {"metadata": {"uid": claim.metadata.uid}, "status": {"reservedFor": removed}}
        await self._client.patch(
            RESOURCE_CLAIMS,
            claim.metadata.name,
            claim.metadata.namespace,
            patch=patch,
            strategic=True,
            subresource="status",
        )

    async def _clear(self, claim: ResourceClaim) -> None:
        """Take back the allocation, then the finalizer that guarded it."""
        if claim.status.allocation is not None:
            nothing = {"allocation": None, "reservedFor": None}
            claim = await self._patch(claim, {"status": nothing}, "status")
        if DELETE_PROTECTION in claim.metadata.finalizers:
            kept = [each for each in claim.metadata.finalizers if each != DELETE_PROTECTION]
            await self._patch(claim, {"metadata": {"finalizers": kept}})

    async def _patch(
        self, claim: ResourceClaim, patch: dict[str, Any], subresource: str = ""
    ) -> ResourceClaim:
        """Patch exactly the claim that was looked at: whoever changed it since comes first."""
        meta = claim.metadata
        pinned = {"uid": meta.uid, "resourceVersion": meta.resource_version}
        merged = patch | {"metadata": patch.get("metadata", {}) | pinned}
        return await self._client.patch(
            RESOURCE_CLAIMS, meta.name, meta.namespace, patch=merged, subresource=subresource
        )


def _left_over(claim: ResourceClaim) -> bool:
    """Whether a claim that nobody reserves is still to be taken apart.

    Only once it is being deleted: before that, the scheduler may be about to allocate it.
    """
    return (
        claim.metadata.deletion_timestamp is not None
        and DELETE_PROTECTION in claim.metadata.finalizers
    )

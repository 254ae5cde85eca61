"""Writes to claims, each from the cache and with a fresh read only after a conflict.

Patches at the resource version that was read stand for the PUTs that Kubernetes' own scheduler
sends: the same precondition, and a field that the typed view does not know is never lost.
"""

import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from shoal.api.claim import DELETE_PROTECTION, ResourceClaim
from shoal.api.kinds import RESOURCE_CLAIMS
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.scheduler.allocation import Wanted, allocated_status, consumer, holds_as, is_reserved
from shoal.scheduler.lost import LostError
from shoal.scheduler.writer import Writer
from shoal.units.failpoint import failpoint

_MOST_CONFLICTS: Final = 8
"""Writers that may come between before a claim counts as contended."""


class Facts(Protocol):
    """Who is told what the server answered, before any watch tells it."""

    def claim(self, claim: ResourceClaim) -> None:
        """A claim is now as told."""

    def bound(self, namespace: str, name: str, uid: str, node: str) -> None:
        """A pod is bound."""


class ClaimWriter:
    """Allocates, reserves and releases claims. Each method raises LostError and ApiError."""

    def __init__(self, client: Client, writer: Writer, facts: Facts) -> None:
        self._client = client
        self._writer = writer
        self._facts = facts

    async def allocate(self, claim: ResourceClaim, wanted: Wanted) -> None:
        """Have the claim hold what is wanted: first the finalizer, then all else at once.

        Without the finalizer the claim controller would never clear the allocation.
        """

        async def write(current: ResourceClaim) -> None:
            if holds_as(current, wanted):
                return
            if current.metadata.deletion_timestamp:
                raise LostError(f"claim {current.metadata.name} is being deleted")
            if current.status.allocation is not None:
                raise LostError(f"claim {current.metadata.name} was allocated by somebody else")
            if DELETE_PROTECTION not in current.metadata.finalizers:
                finalizers = [*current.metadata.finalizers, DELETE_PROTECTION]
                protected = {"metadata": {"finalizers": finalizers}}
                current = await self._patch(current, protected)
            await self._patch(current, {"status": allocated_status(current, wanted)})

        await self._upon(claim, write)

    async def reserve(self, claim: ResourceClaim, pod: str, pod_uid: str) -> None:
        """Let one more pod use a claim that is allocated already."""

        async def write(current: ResourceClaim) -> None:
            if current.status.allocation is None:
                raise LostError(f"claim {current.metadata.name} holds nothing any more")
            if not is_reserved(current, pod_uid):
                added = {"status": {"reservedFor": [consumer(pod, pod_uid)]}}
                await self._patch(current, added, strategic=True)

        await self._upon(claim, write)

    async def release(self, claim: ResourceClaim, pod_uid: str) -> None:
        """Take back what was written for a pod, however long the server is in trouble.

        The last consumer takes the allocation with it, in the same write: nobody else would
        clear it.
        """

        async def write(current: ResourceClaim) -> None:
            if not is_reserved(current, pod_uid):
                return
            if len(current.status.reserved_for) == 1:
                cleared = {"status": {"allocation": None, "reservedFor": None}}
                await self._patch(current, cleared, insist=True)
            else:
                taken = {"status": {"reservedFor": [{"$patch": "delete", "uid": pod_uid}]}}
                await self._patch(current, taken, strategic=True, insist=True)

        # Gone, or changed by somebody else: then it holds nothing of ours.
        with contextlib.suppress(LostError):
            await self._upon(claim, write, insist=True)

    async def _upon(
        self,
        claim: ResourceClaim,
        write: Callable[[ResourceClaim], Awaitable[None]],
        *,
        insist: bool = False,
    ) -> None:
        name = claim.metadata.name
        for _ in range(_MOST_CONFLICTS):
            try:
                return await write(claim)
            except ApiError as error:
                if error.not_found:
                    raise LostError(f"claim {name} is gone") from None
                if not error.conflict:
                    raise
            claim = await self._fresh(claim, insist=insist)
        raise LostError(f"claim {name} is being changed by others all the time")

    async def _fresh(self, claim: ResourceClaim, *, insist: bool) -> ResourceClaim:
        known = claim.metadata
        try:
            fresh = await self._send(
                lambda: self._client.get(RESOURCE_CLAIMS, known.name, known.namespace), insist
            )
        except ApiError as error:
            if error.not_found:
                raise LostError(f"claim {known.name} is gone") from None
            raise
        if fresh.metadata.uid != known.uid:
            raise LostError(f"claim {known.name} was deleted and made anew")
        self._facts.claim(fresh)
        return fresh

    async def _patch(
        self,
        claim: ResourceClaim,
        patch: dict[str, Any],
        *,
        strategic: bool = False,
        insist: bool = False,
    ) -> ResourceClaim:
        """Patch the claim as it was read: the status, where the patch names it."""
        known = claim.metadata
        version = {"resourceVersion": known.resource_version}
        whole = patch | {"metadata": version | patch.get("metadata", {})}
        subresource = "status" if "status" in patch else ""
        written = await self._send(
            lambda: self._client.patch(
                RESOURCE_CLAIMS,
                known.name,
                known.namespace,
                patch=whole,
                strategic=strategic,
                subresource=subresource,
            ),
            insist,
        )
        failpoint("scheduler.claim")
        self._facts.claim(written)
        return written

    async def _send(
        self, request: Callable[[], Awaitable[ResourceClaim]], insist: bool
    ) -> ResourceClaim:
        return await (self._writer.insist if insist else self._writer.attempt)(request)

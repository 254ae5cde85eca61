"""Garbage collection: what an object owned goes when it goes.

The three ways of https://kubernetes.io/docs/concepts/architecture/garbage-collection/ :
in the background (the owner is gone, its dependents follow), in the foreground (the owner
waits for those dependents that block it) and orphaned (they go on without it).
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

from shoal.api.kinds import (
    CONFIG_MAPS,
    DEVICE_CLASSES,
    GANGS,
    JOBS,
    LEASES,
    NAMESPACES,
    NODE_USES,
    NODES,
    POD_TEMPLATES,
    PODS,
    PRIORITY_CLASSES,
    QUEUES,
    RESOURCE_CLAIM_TEMPLATES,
    RESOURCE_CLAIMS,
    RESOURCE_SLICES,
    SECRETS,
    SERVICE_ACCOUNTS,
    SERVICES,
    VOLUME_CLAIMS,
    VOLUMES,
    Kind,
)
from shoal.api.meta import Object, OwnerReference
from shoal.controllers.builtin.added import AddedKinds
from shoal.controllers.builtin.graph import FOREGROUND, ORPHAN, Entry, Graph, sort_owners
from shoal.controllers.informers import Informers
from shoal.controllers.loop import together, work
from shoal.controllers.runview import STORED_RUNS
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue

KINDS: Final[tuple[Kind[Any], ...]] = (
    STORED_RUNS,
    GANGS,
    QUEUES,
    JOBS,
    PODS,
    POD_TEMPLATES,
    SERVICE_ACCOUNTS,
    SERVICES,
    VOLUME_CLAIMS,
    VOLUMES,
    SECRETS,
    CONFIG_MAPS,
    LEASES,
    RESOURCE_CLAIMS,
    RESOURCE_CLAIM_TEMPLATES,
    RESOURCE_SLICES,
    NODE_USES,
    NODES,
    NAMESPACES,
    PRIORITY_CLASSES,
    DEVICE_CLASSES,
)
"""Every kind of the server's own but Event, which owns nothing and is owned by nothing."""

_BY_NAME: Final = {(kind.api_version, kind.name): kind for kind in KINDS}
_WORKERS: Final = 8


class GarbageCollector:
    """Follows every kind and deletes what nobody owns any more."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._informers = informers
        self._graph = Graph()
        self._queue: WorkQueue[str] = WorkQueue()
        for kind in KINDS:
            informers.follow(kind, self._handler(kind))
        self._added = AddedKinds(client, informers, frozenset(_BY_NAME), self._handler)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._informers.synced()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._added.run())
            group.create_task(work(self._queue, self._look_at, workers=_WORKERS))

    def _handler(self, kind: Kind[Any]) -> Callable[[Delta[Any]], None]:
        return lambda delta: self._on(kind, delta)

    def _on(self, kind: Kind[Any], delta: Delta[Any]) -> None:
        entry = Entry(kind, delta.any)
        if delta.new is None:
            self._on_gone(entry)
            return
        self._graph.put(entry)
        if self._may_matter(entry):
            self._queue.add(entry.uid)
        self._wake_waiting_owners(entry)

    def _on_gone(self, entry: Entry) -> None:
        self._graph.remove(entry.uid)
        for dependent in self._graph.dependents(entry.uid):
            self._queue.add(dependent.uid)
        self._wake_waiting_owners(entry)

    def _may_matter(self, entry: Entry) -> bool:
        """Whether there may be something to do: nearly all changes are of no interest here."""
        if entry.waits_with(FOREGROUND) or entry.waits_with(ORPHAN):
            return True
        owners = (self._graph.get(ref.uid) for ref in entry.obj.metadata.owner_references)
        return any(owner is None or owner.waits_with(FOREGROUND) for owner in owners)

    def _wake_waiting_owners(self, entry: Entry) -> None:
        for ref in entry.obj.metadata.owner_references:
            owner = self._graph.get(ref.uid)
            if owner is not None and owner.waits_with(FOREGROUND):
                self._queue.add(owner.uid)

    async def _look_at(self, uid: str) -> None:
        entry = self._graph.get(uid)
        if entry is None:
            return
        if entry.waits_with(ORPHAN):
            await self._orphan_dependents(entry)
        elif entry.waits_with(FOREGROUND):
            await self._foreground(entry)
        elif not entry.deleting:
            await self._check_owners(entry)

    async def _orphan_dependents(self, owner: Entry) -> None:
        """Take the owner out of its dependents, then let it go."""
        await together(
            partial(self._drop_owners, dependent, {owner.uid})
            for dependent in self._graph.dependents(owner.uid)
        )
        await self._drop_finalizer(owner, ORPHAN)

    async def _foreground(self, owner: Entry) -> None:
        """Have every dependent looked at; let the owner go once none blocks it."""
        dependents = self._graph.dependents(owner.uid)
        for dependent in dependents:
            if not dependent.deleting:
                self._queue.add(dependent.uid)
        if not any(dependent.blocks(owner.uid) for dependent in dependents):
            await self._drop_finalizer(owner, FOREGROUND)

    async def _check_owners(self, entry: Entry) -> None:
        absent = await self._absent_owners(entry)
        owners = sort_owners(entry, self._graph, absent)
        if owners.doomed:
            await self._delete(entry)
        elif owners.lost:
            await self._drop_owners(entry, {ref.uid for ref in owners.lost})

    async def _absent_owners(self, entry: Entry) -> frozenset[str]:
        """The owners that do not exist. The copies may lag behind, so the server is asked."""
        unknown = [
            ref for ref in entry.obj.metadata.owner_references if self._graph.get(ref.uid) is None
        ]
        absent = await together(partial(self._is_absent, entry, ref) for ref in unknown)
        return frozenset(ref.uid for ref, gone in zip(unknown, absent, strict=True) if gone)

    async def _is_absent(self, entry: Entry, ref: OwnerReference) -> bool:
        kind = _BY_NAME.get((ref.api_version, ref.kind)) or self._added.find(
            ref.api_version, ref.kind
        )
        if kind is None or (kind.namespaced and not entry.kind.namespaced):
            # Nothing can be known of an owner that cannot be looked up: leave it be.
            return False
        namespace = entry.obj.metadata.namespace if kind.namespaced else ""
        try:
            owner: Object = await self._client.get(kind, ref.name, namespace)
        except ApiError as error:
            if error.not_found:
                return True
            raise
        return owner.metadata.uid != ref.uid

    async def _delete(self, entry: Entry) -> None:
        meta = entry.obj.metadata
        # Below a foreground deletion the whole tree is waited for.
        waiting = any(
            owner is not None and owner.waits_with(FOREGROUND)
            for owner in (self._graph.get(ref.uid) for ref in meta.owner_references)
        )
        deep = waiting and bool(self._graph.dependents(entry.uid))
        policy = "Foreground" if deep else "Background"
        await self._client.delete(
            entry.kind, meta.name, meta.namespace, uid=meta.uid, propagation=policy
        )

    async def _drop_owners(self, entry: Entry, uids: set[str]) -> None:
        refs = entry.obj.metadata.owner_references
        kept = [msgspec.to_builtins(ref) for ref in refs if ref.uid not in uids]
        await self._patch(entry, {"ownerReferences": kept})

    async def _drop_finalizer(self, entry: Entry, finalizer: str) -> None:
        kept = [each for each in entry.obj.metadata.finalizers if each != finalizer]
        await self._patch(entry, {"finalizers": kept})

    async def _patch(self, entry: Entry, metadata: dict[str, Any]) -> None:
        meta = entry.obj.metadata
        pinned = {"uid": meta.uid, "resourceVersion": meta.resource_version}
        patch = {"metadata": pinned | metadata}
        await self._client.patch(entry.kind, meta.name, meta.namespace, patch=patch)

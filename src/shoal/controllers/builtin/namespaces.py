"""Namespaces: one that is being deleted is emptied, then let go."""

import time
from functools import partial
from typing import Any, Final

from shoal.api.kinds import EVENTS, NAMESPACES, Kind
from shoal.api.meta import Object
from shoal.controllers.builtin.added import added_kinds
from shoal.controllers.builtin.garbage import KINDS
from shoal.controllers.builtin.remains import Remains, conditions_of, remains_of
from shoal.controllers.informers import Informers
from shoal.controllers.loop import together, work
from shoal.controllers.runview import STORED_RUNS
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue
from shoal.units.instant import format_seconds

_WORKERS: Final = 2
_LOOK_AGAIN_S: Final = 1.0
_CONTENT: Final = tuple(kind for kind in (*KINDS, EVENTS) if kind.namespaced)
_KNOWN: Final = frozenset(kind.path() for kind in (*KINDS, EVENTS))


class NamespaceController:
    """Follows namespaces that are being deleted."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._informers = informers
        self._queue: WorkQueue[str] = WorkQueue()
        self._told: dict[str, dict[Kind[Any], Remains]] = {}
        self._namespaces = informers.follow(NAMESPACES, self._on_namespace)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._informers.synced()
        await work(self._queue, self._look_at, workers=_WORKERS)

    def _on_namespace(self, delta: Delta[Object]) -> None:
        if delta.new is not None and delta.new.metadata.deletion_timestamp is not None:
            self._queue.add(delta.new.metadata.name)

    async def _look_at(self, name: str) -> None:
        if self._namespaces.get("", name) is None:
            self._told.pop(name, None)
            return
        # Runs first: one whose pods vanish under it would think that it had failed.
        left = dict([await self._empty(name, STORED_RUNS)])
        added = [kind for kind in await added_kinds(self._client) if kind.path() not in _KNOWN]
        kinds = (*_CONTENT, *(kind for kind in added if kind.namespaced))
        left |= dict(await together(partial(self._empty, name, kind) for kind in kinds))
        left = {kind: remains for kind, remains in left.items() if remains.count}
        if left:
            await self._tell(name, left)
            self._queue.add_after(name, _LOOK_AGAIN_S)
        else:
            await self._finalize(name)

    async def _empty(self, namespace: str, kind: Kind[Any]) -> tuple[Kind[Any], Remains]:
        """Ask for the deletion of everything of a kind; what is left of it."""
        try:
            objects = (await self._client.list(kind, namespace)).items
            if objects:
                await self._client.request("DELETE", kind.path(namespace))
                objects = (await self._client.list(kind, namespace)).items
        except ApiError as error:
            if not error.not_found:  # else the kind is served no longer
                raise
            objects = []
        return kind, remains_of(objects)

    async def _tell(self, name: str, left: dict[Kind[Any], Remains]) -> None:
        """Write what is left, unless that was told already."""
        if self._told.get(name) == left:
            return
        now = format_seconds(time.time_ns() // 1_000_000)
        told = [one | {"lastTransitionTime": now} for one in conditions_of(left)]
        patch = {"status": {"conditions": told}}
        await self._client.patch(
            NAMESPACES, name, patch=patch, strategic=True, subresource="status"
        )
        self._told[name] = left

    async def _finalize(self, name: str) -> None:
        body = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name},
            "spec": {"finalizers": []},
        }
        await self._client.request("PUT", NAMESPACES.path("", name, "finalize"), body=body)

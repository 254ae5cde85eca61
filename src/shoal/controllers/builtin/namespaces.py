"""Namespaces: one that is being deleted is emptied, then let go."""

from functools import partial
from typing import Any, Final

from shoal.api.kinds import EVENTS, NAMESPACES, Kind
from shoal.api.meta import Object
from shoal.controllers.builtin.garbage import KINDS
from shoal.controllers.informers import Informers
from shoal.controllers.loop import together, work
from shoal.controllers.runview import STORED_RUNS
from shoal.kube.client import Client
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue

_WORKERS: Final = 2
_LOOK_AGAIN_S: Final = 1.0
_CONTENT: Final = tuple(kind for kind in (*KINDS, EVENTS) if kind.namespaced)


class NamespaceController:
    """Follows namespaces that are being deleted."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._informers = informers
        self._queue: WorkQueue[str] = WorkQueue()
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
            return
        # Runs first: one whose pods vanish under it would think that it had failed.
        left = await self._empty(name, STORED_RUNS)
        left += sum(await together(partial(self._empty, name, kind) for kind in _CONTENT))
        if left:
            self._queue.add_after(name, _LOOK_AGAIN_S)
        else:
            await self._finalize(name)

    async def _empty(self, namespace: str, kind: Kind[Any]) -> int:
        """Ask for the deletion of everything of a kind; how many objects are left."""
        if not (await self._client.list(kind, namespace)).items:
            return 0
        await self._client.request("DELETE", kind.path(namespace))
        return len((await self._client.list(kind, namespace)).items)

    async def _finalize(self, name: str) -> None:
        body = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name},
            "spec": {"finalizers": []},
        }
        await self._client.request("PUT", NAMESPACES.path("", name, "finalize"), body=body)

"""Keeps the registry as the definitions in the store say, and the definitions' status.

A definition takes effect in the moment in which it is durable, before its writer is answered. One
that is being deleted takes its objects with it, and goes when the last of them is gone.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Final

from shoal.api import crds
from shoal.api.meta import GROUP
from shoal.apiserver.custom import resources_of
from shoal.apiserver.delete import remove
from shoal.apiserver.delete_options import Options
from shoal.apiserver.history import Key
from shoal.apiserver.ids import IDS
from shoal.apiserver.kinds.definition import CLEANUP, DEFINITIONS
from shoal.apiserver.meta import rfc3339
from shoal.apiserver.names import is_established, judged, taken
from shoal.apiserver.registry import Resource
from shoal.apiserver.render import decode
from shoal.apiserver.server import Server, Target
from shoal.dialect.document import Document
from shoal.dialect.status import StatusError

_log: Final = logging.getLogger(__name__)
_AT_ONCE: Final = 200

_Stand = tuple[str, int, bool]
"""What a kind is made of: the definition's uid and generation, and whether it is closing."""


class Definitions:
    """Follows the definitions of one server from ``start`` until ``stop``."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._builtin: Final = server.registry.resources
        self._served: dict[str, tuple[_Stand, list[Resource]]] = {}
        self._woken = asyncio.Event()

    def start(self) -> None:
        """Tell of our own kinds, serve what is defined, and begin to follow."""
        for definition in crds.definitions():
            self._tell_ours(definition)
        self._server.store.wake_on(DEFINITIONS, self._look)
        self._look()
        self._sweeper = asyncio.create_task(self._sweep())

    def stop(self) -> None:
        """Follow no longer."""
        self._server.store.forget(DEFINITIONS, self._look)
        self._sweeper.cancel()

    def _tell_ours(self, definition: Document) -> None:
        """Store the definition of one of our kinds; they are served whatever it says."""
        key = Key(DEFINITIONS, "", definition["metadata"]["name"])
        stored = self._server.find(key)
        if stored is None:
            names = [version["name"] for version in definition["spec"]["versions"]]
            born = {"uid": IDS.uid(), "creationTimestamp": rfc3339(), "generation": 1}
            definition["metadata"] |= born
            definition["status"] = {"storedVersions": names}
            self._write(key, {**definition, "status": judged(definition, [], rfc3339())})
        elif stored["spec"] != definition["spec"]:
            metadata = {**stored["metadata"], "generation": stored["metadata"]["generation"] + 1}
            self._write(key, {**stored, "metadata": metadata, "spec": definition["spec"]})

    def _look(self) -> None:
        """Bring registry and status up to date with what is durable."""
        found = [d for d in self._server.all(DEFINITIONS) if d["spec"]["group"] != GROUP]
        found.sort(key=_precedence)
        for name in self._served.keys() - {one["metadata"]["name"] for one in found}:
            self._withdraw(name)
        accepted: list[Document] = []
        for definition in found:
            if self._settle(definition, accepted):
                accepted.append(definition)
        self._woken.set()

    def _settle(self, definition: Document, others: Iterable[Document]) -> bool:
        """Serve a definition where its names are free; whether it is served."""
        names = taken(definition["spec"]["group"], self._builtin, others)
        conflicts = names.conflicts(definition)
        self._tell(definition, judged(definition, conflicts, rfc3339()))
        if conflicts:
            self._withdraw(definition["metadata"]["name"])
        else:
            self._serve(definition)
        return not conflicts

    def _serve(self, definition: Document) -> None:
        metadata = definition["metadata"]
        stand = (
            metadata["uid"],
            metadata.get("generation", 1),
            bool(metadata.get("deletionTimestamp")),
        )
        if (known := self._served.get(metadata["name"])) and known[0] == stand:
            return
        self._withdraw(metadata["name"])
        resources = resources_of(definition)
        for resource in resources:
            self._server.registry.serve(resource)
        self._served[metadata["name"]] = (stand, resources)

    def _withdraw(self, name: str) -> None:
        """Serve a kind no longer in the way it was; its watches see that and end."""
        _, resources = self._served.pop(name, (None, []))
        for resource in resources:
            self._server.registry.withdraw(resource)
            self._server.store.wake(resource.key)

    def _tell(self, definition: Document, status: Document) -> None:
        """Write a status that is new; a later look tries again what could not be written."""
        key = Key(DEFINITIONS, "", definition["metadata"]["name"])
        newest = self._server.find(key)
        if newest is None or newest.get("status") == status or newest != definition:
            return
        self._write(key, {**newest, "status": status})

    def _write(self, key: Key, document: Document) -> None:
        try:
            written = self._server.store.put(key, document)
        except StatusError as error:
            _log.warning("a definition was not written", extra={"why": str(error)})
            return
        written.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _sweep(self) -> None:
        """Delete the objects of definitions that are being deleted, then the definitions."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            for definition in list(self._server.all(DEFINITIONS)):
                if CLEANUP in (definition["metadata"].get("finalizers") or ()):
                    await self._empty(definition)

    async def _empty(self, definition: Document) -> None:
        spec, name = definition["spec"], definition["metadata"]["name"]
        resources = self._served.get(name, (None, resources_of(definition)))[1]
        key = f"{spec['names']['plural']}.{spec['group']}"
        self._server.store.wake_on(key, self._woken.set)
        try:
            await self._delete_all(resources, key)
            if not self._server.store.present(key):
                self._server.store.forget(key, self._woken.set)
                await self._let_go(name)
        except StatusError as error:
            _log.warning("a definition could not be removed yet", extra={"why": str(error)})

    async def _delete_all(self, resources: Sequence[Resource], key: str) -> None:
        """Ask for the end of every object that is not on its way out already."""
        if not resources:
            return
        found = [one for one, entry in self._server.store.present(key) if not entry.deleting]
        for start in range(0, len(found), _AT_ONCE):
            part = found[start : start + _AT_ONCE]
            await asyncio.gather(*(self._delete(resources[0], one) for one in part))

    async def _delete(self, resource: Resource, key: Key) -> None:
        entry = self._server.store.newest(key)
        if entry is not None:
            target = Target(resource, key.namespace, key.name)
            await remove(self._server, target, decode(entry.raw), Options())

    async def _let_go(self, name: str) -> None:
        key = Key(DEFINITIONS, "", name)
        definition = self._server.find(key)
        if definition is None or not definition["metadata"].get("deletionTimestamp"):
            return
        left = [f for f in definition["metadata"].get("finalizers") or () if f != CLEANUP]
        definition["metadata"]["finalizers"] = left
        if left:
            await self._server.store.put(key, definition)
        else:
            await self._server.store.remove(key, definition)


def _precedence(definition: Document) -> tuple[bool, str, str]:
    """Who came first has the names: what is established, then the older, then by name."""
    metadata = definition["metadata"]
    created = metadata.get("creationTimestamp") or ""
    return (not is_established(definition), created, metadata["name"])

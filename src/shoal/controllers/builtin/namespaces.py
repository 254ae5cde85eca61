"""Namespaces: one that is being deleted is emptied, then let go."""

import time
from functools import partial
from typing import Any, Final

from shoal.api.kinds import EVENTS, NAMESPACES, Kind
from shoal.api.meta import Object
from shoal.controllers.builtin.custom import custom_kinds
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
from shoal.units.instant import format_seconds

_WORKERS: Final = 2
_LOOK_AGAIN_S: Final = 1.0
_CONTENT: Final = tuple(kind for kind in (*KINDS, EVENTS) if kind.namespaced)


class _Names(View):
    kind: str = ""
    plural: str = ""


class _Version(View):
    name: str = ""
    served: bool = False


class _DefinitionSpec(View):
    group: str = ""
    scope: str = ""
    names: _Names = msgspec.field(default_factory=_Names)
    versions: list[_Version] = []


class _Definition(Object):
    spec: _DefinitionSpec = msgspec.field(default_factory=_DefinitionSpec)


_DEFINITIONS: Final = Kind(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    False,
    _Definition,
)


class NamespaceController:
    """Follows namespaces that are being deleted."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._informers = informers
        self._queue: WorkQueue[str] = WorkQueue()
        self._told: dict[str, dict[Kind[Any], Remains]] = {}
        self._told: dict[str, list[dict[str, str]]] = {}
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
        left = await self._empty(name, STORED_RUNS)
        kinds = (*_CONTENT, *await self._custom_kinds())
        for found in await together(partial(self._empty, name, kind) for kind in kinds):
            left += found
        if left:
            await self._tell(name, remaining(left))
            self._queue.add_after(name, _LOOK_AGAIN_S)
        else:
            await self._finalize(name)

    async def _empty(self, namespace: str, kind: Kind[Any]) -> list[Left]:
        """Ask for the deletion of everything of a kind; the objects that are left."""
        try:
            if not (await self._client.list(kind, namespace)).items:
                return []
            await self._client.request("DELETE", kind.path(namespace))
            return [(kind, obj) for obj in (await self._client.list(kind, namespace)).items]
        except ApiError as error:
            if error.not_found:
                return []  # the kind is served no longer
            raise

    async def _custom_kinds(self) -> list[Kind[Any]]:
        """Kinds that somebody defined, as they are served now."""
        definitions = (await self._client.list(_DEFINITIONS)).items
        return [
            Kind(f"{spec.group}/{version}", spec.names.kind, spec.names.plural, True, Object)
            for spec in (definition.spec for definition in definitions)
            if spec.scope == "Namespaced" and (version := _served(spec))
        ]

    async def _tell(self, name: str, conditions: list[dict[str, str]]) -> None:
        """Write what is left where that says something new."""
        if self._told.get(name) == conditions:
            return
        now = format_seconds(time.time_ns() // 1_000_000)
        told = [condition | {"lastTransitionTime": now} for condition in conditions]
        patch = {"status": {"conditions": told}}
        await self._client.patch(
            NAMESPACES, name, patch=patch, strategic=True, subresource="status"
        )
        self._told[name] = conditions

    async def _finalize(self, name: str) -> None:
        body = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name},
            "spec": {"finalizers": []},
        }
        await self._client.request("PUT", NAMESPACES.path("", name, "finalize"), body=body)


def _served(spec: _DefinitionSpec) -> str:
    """A version that is served; empty when there is none."""
    return next((version.name for version in spec.versions if version.served), "")

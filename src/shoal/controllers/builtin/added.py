"""The kinds that users add by definitions: each is followed for as long as it is served."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import msgspec

from shoal.api.kinds import Kind
from shoal.api.meta import Condition, Object, View
from shoal.controllers.informers import Informers
from shoal.kube.client import Client
from shoal.kube.reflector import Delta, Reflector


class _Names(View):
    kind: str = ""
    plural: str = ""


class _Version(View):
    name: str = ""
    served: bool = False
    storage: bool = False


class _Spec(View):
    group: str = ""
    scope: str = ""
    names: _Names = msgspec.field(default_factory=_Names)
    versions: list[_Version] = []


class _Status(View):
    conditions: list[Condition] = []


class Definition(Object):
    """What of a CustomResourceDefinition says how its objects are addressed."""

    spec: _Spec = msgspec.field(default_factory=_Spec)
    status: _Status = msgspec.field(default_factory=_Status)

    @property
    def established(self) -> bool:
        """Whether its objects are served."""
        conditions = self.status.conditions
        return any(one.type == "Established" and one.status == "True" for one in conditions)

    def addressed(self) -> Kind[Object]:
        """How clients address its objects: in the version that is stored, if that is served."""
        served = sorted(self.spec.versions, key=lambda one: (one.served, one.storage))
        version = served[-1].name if served else ""
        names = self.spec.names
        namespaced = self.spec.scope == "Namespaced"
        return Kind(f"{self.spec.group}/{version}", names.kind, names.plural, namespaced, Object)


DEFINITIONS: Final = Kind(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    False,
    Definition,
)


async def added_kinds(client: Client) -> list[Kind[Object]]:
    """Every kind that there is a definition for, ours among them. Raises ApiError."""
    definitions = (await client.list(DEFINITIONS)).items
    return [each.addressed() for each in definitions if each.established]


class AddedKinds:
    """Tells every change of every added kind to the handler that ``handler_of`` makes for it."""

    def __init__(
        self,
        client: Client,
        informers: Informers,
        known: frozenset[tuple[str, str]],
        handler_of: Callable[[Kind[Object]], Callable[[Delta[Object]], None]],
    ) -> None:
        self._client = client
        self._known = known
        self._handler_of = handler_of
        self._wanted: dict[str, Kind[Object]] = {}
        self._changed = asyncio.Event()
        informers.follow(DEFINITIONS, self._on)

    def find(self, api_version: str, name: str) -> Kind[Object] | None:
        """The added kind of that version and name."""
        kinds = self._wanted.values()
        return next((k for k in kinds if (k.api_version, k.name) == (api_version, name)), None)

    async def run(self) -> None:
        """Follow until cancelled."""
        running: dict[str, tuple[Kind[Object], asyncio.Task[None]]] = {}
        async with asyncio.TaskGroup() as group:
            while True:
                self._changed.clear()
                over = [n for n, (kind, _) in running.items() if self._wanted.get(n) != kind]
                for name in over:
                    running.pop(name)[1].cancel()
                for name in self._wanted.keys() - running.keys():
                    kind = self._wanted[name]
                    running[name] = kind, group.create_task(self._follow(kind))
                await self._changed.wait()

    async def _follow(self, kind: Kind[Object]) -> None:
        handler = self._handler_of(kind)
        await Reflector(self._client, kind, on_delta=handler, passing=True).run()

    def _on(self, delta: Delta[Any]) -> None:
        definition: Definition = delta.any
        kind = definition.addressed()
        if delta.new is None or not definition.established:
            self._wanted.pop(definition.metadata.name, None)
        elif (kind.api_version, kind.name) not in self._known:
            self._wanted[definition.metadata.name] = kind
        self._changed.set()

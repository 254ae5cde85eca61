"""A local copy of a kind that follows the server: list, then watch, for ever.

Resumes where a watch ended, lists anew when the server has forgotten that point (410), and
waits between failures, at most ``_LONGEST_WAIT`` seconds. The copy only ever holds committed
objects, in the server's order.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import msgspec

from shoal.api.kinds import Kind
from shoal.api.meta import Object
from shoal.kube.client import Client
from shoal.kube.errors import ApiError

T = TypeVar("T", bound=Object)

_SHORTEST_WAIT = 0.1
_LONGEST_WAIT = 5.0
_log = logging.getLogger(__name__)


class Delta(msgspec.Struct, Generic[T]):
    """A change of the copy; ``new`` is None for a deletion, ``old`` for an addition."""

    old: T | None
    new: T | None

    @property
    def any(self) -> T:
        """The object as it is, or as it was last."""
        known = self.new if self.new is not None else self.old
        assert known is not None, "a change of nothing"
        return known


class Reflector(Generic[T]):
    """The copy of one kind, all of it or what the selectors let through.

    ``passing``: the kind may go away, and then nothing is broken.
    """

    def __init__(
        self,
        client: Client,
        kind: Kind[T],
        *,
        namespace: str = "",
        labels: str = "",
        fields: str = "",
        on_delta: Callable[[Delta[T]], None] | None = None,
        passing: bool = False,
    ) -> None:
        self.kind = kind
        self.synced = asyncio.Event()
        self._client = client
        self._namespace = namespace
        self._labels = labels
        self._fields = fields
        self._on_delta = on_delta
        self._passing = passing
        self._objects: dict[tuple[str, str], T] = {}
        self._version = ""

    def get(self, namespace: str, name: str) -> T | None:
        """The object as the copy knows it."""
        return self._objects.get((namespace, name))

    def __iter__(self) -> Iterator[T]:
        return iter(self._objects.values())

    def __len__(self) -> int:
        return len(self._objects)

    async def run(self) -> None:
        """Follow the server until cancelled."""
        wait = _SHORTEST_WAIT
        while True:
            try:
                if not self._version:
                    await self._list()
                await self._watch()
                wait = _SHORTEST_WAIT
            except ApiError as error:
                if error.gone:
                    self._version = ""
                    continue
                self._say_broken(error)
                await asyncio.sleep(wait)
                wait = min(wait * 2, _LONGEST_WAIT)

    def _say_broken(self, error: ApiError) -> None:
        if not (self._passing and error.not_found):
            _log.warning("watch broken", extra={"kind": self.kind.name, "error": error.message})

    async def _list(self) -> None:
        listing = await self._client.list(
            self.kind, self._namespace, labels=self._labels, fields=self._fields
        )
        fresh = {_key(item): item for item in listing.items}
        for key in self._objects.keys() - fresh.keys():
            self._change(key, None)
        for key, item in fresh.items():
            self._change(key, item)
        self._version = listing.resource_version
        self.synced.set()

    async def _watch(self) -> None:
        events = self._client.watch(
            self.kind,
            self._namespace,
            resource_version=self._version,
            labels=self._labels,
            fields=self._fields,
        )
        async for event in events:
            self._version = event.object.metadata.resource_version
            if event.type != "BOOKMARK":
                gone = event.type == "DELETED"
                self._change(_key(event.object), None if gone else event.object)

    def _change(self, key: tuple[str, str], new: T | None) -> None:
        old = self._objects.get(key)
        if new is None:
            self._objects.pop(key, None)
        elif old is not None and _version(old) == _version(new):
            return
        else:
            self._objects[key] = new
        if self._on_delta is not None and (old is not None or new is not None):
            self._tell(old, new)

    def _tell(self, old: T | None, new: T | None) -> None:
        assert self._on_delta is not None
        # An object deleted and made again between two looks is two changes, not one.
        if old is not None and new is not None and old.metadata.uid != new.metadata.uid:
            self._on_delta(Delta(old, None))
            old = None
        self._on_delta(Delta(old, new))


def _key(obj: Object) -> tuple[str, str]:
    return obj.metadata.namespace, obj.metadata.name


def _version(obj: Object) -> str:
    return obj.metadata.resource_version

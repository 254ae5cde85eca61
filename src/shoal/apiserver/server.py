"""What the verbs work on: the store, the kinds, and the home."""

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from shoal.apiserver.auth import Guard
from shoal.apiserver.history import Entry, Key
from shoal.apiserver.metrics import Counters
from shoal.apiserver.openapi3.documents import OpenApi
from shoal.apiserver.registry import Registry, Resource
from shoal.apiserver.render import decode
from shoal.apiserver.store import Store
from shoal.dialect.document import Document
from shoal.dialect.status import not_found


class Target(msgspec.Struct, frozen=True):
    """What a path names: a collection (no name), an object, or one of its subresources."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    tail: str = ""

    @property
    def key(self) -> Key:
        """The object's key."""
        return Key(self.resource.key, self.namespace, self.name)


class Server(msgspec.Struct, frozen=True):
    """The parts that answer requests. ``home`` holds the sockets that logs come from."""

    store: Store
    registry: Registry
    home: Path
    guard: Guard
    counters: Counters = msgspec.field(default_factory=Counters)
    openapi: OpenApi = msgspec.field(default_factory=OpenApi)

    def find(self, key: Key) -> Document | None:
        """The newest version of an object, decoded."""
        entry = self.store.newest(key)
        return None if entry is None else decode(entry.raw)

    def all(self, resource: str, mark: bytes = b"") -> Iterable[Document]:
        """The durable objects of a kind whose text holds the mark, decoded."""
        present = self.store.present(resource)
        return (decode(entry.raw) for _, entry in present if mark in entry.raw)

    def is_taken(self, target: Target) -> Callable[[str], bool]:
        """Whether the collection has an object of a name, also one still being written."""
        resource, namespace = target.resource.key, target.namespace
        return lambda name: self.store.newest(Key(resource, namespace, name)) is not None

    def current(self, target: Target) -> Entry:
        """The version that a write builds on. Raises StatusError 404."""
        entry = self.store.newest(target.key)
        if entry is None:
            raise not_found(target.resource.group, target.resource.plural, target.name)
        return entry

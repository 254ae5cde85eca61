"""Own writes that the reflectors have not shown yet.

Deciding on a copy that is older than one's own last writes would do things twice. So a key
is left alone until its writes have come back; the change that brings them wakes it.
"""

import time
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

import msgspec

from shoal.api.kinds import Kind
from shoal.api.meta import Object

K = TypeVar("K")

PATIENCE_S: Final = 5.0
"""After this long a write counts as shown: its object came and went between two looks."""


class _Write(msgspec.Struct, frozen=True):
    """A write: shown once the copy is at ``version``, or no longer has ``gone`` untouched."""

    kind: Kind[Any]
    namespace: str
    name: str
    since: float
    version: int = 0
    gone: str = ""

    def about(self, other: "_Write") -> bool:
        """Whether both are of one object."""
        mine = self.kind.plural, self.namespace, self.name
        return mine == (other.kind.plural, other.namespace, other.name)

    def shown(self, copy: Object | None) -> bool:
        if not self.gone:
            return copy is not None and int(copy.metadata.resource_version) >= self.version
        if copy is None or copy.metadata.uid != self.gone:
            return True
        return copy.metadata.deletion_timestamp is not None


class Unseen(Generic[K]):
    """Writes by the key that they were made for. ``look`` reads the copy of an object.

    Resource versions are compared as the integers that they are on every server shoal speaks
    to; Kubernetes promises this order since 1.35.
    """

    def __init__(
        self,
        look: Callable[[Kind[Any], str, str], Object | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._clock = clock
        self._writes: dict[K, list[_Write]] = {}

    def wrote(self, key: K, kind: Kind[Any], made: Object) -> None:
        """An object was created or changed."""
        meta = made.metadata
        version = int(meta.resource_version)
        write = _Write(kind, meta.namespace, meta.name, self._clock(), version=version)
        self._writes.setdefault(key, []).append(write)

    def deleted(self, key: K, kind: Kind[Any], namespace: str, name: str, uid: str) -> None:
        """An object was deleted; what was written of it before does not matter any more."""
        write = _Write(kind, namespace, name, self._clock(), gone=uid)
        others = [each for each in self._writes.get(key, ()) if not each.about(write)]
        self._writes[key] = [*others, write]

    def settled(self, key: K) -> bool:
        """Whether the copies show everything that was written for a key."""
        oldest = self._clock() - PATIENCE_S
        left = [
            write
            for write in self._writes.pop(key, ())
            if write.since > oldest
            and not write.shown(self._look(write.kind, write.namespace, write.name))
        ]
        if left:
            self._writes[key] = left
        return not left

    def forget(self, key: K) -> None:
        """Drop what was noted for a key that is gone."""
        self._writes.pop(key, None)

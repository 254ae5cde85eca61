"""Who owns whom: the graph that garbage collection decides on. No I/O."""

from typing import Any, Final

import msgspec

from shoal.api.kinds import Kind
from shoal.api.meta import Object, OwnerReference

FOREGROUND: Final = "foregroundDeletion"
"""Finalizer of an object that goes only after its dependents that block it."""
ORPHAN: Final = "orphan"
"""Finalizer of an object that lets its dependents go on without it."""


class Entry(msgspec.Struct, frozen=True):
    """An object and where it lives."""

    kind: Kind[Any]
    obj: Object

    @property
    def uid(self) -> str:
        """The object's uid."""
        return self.obj.metadata.uid

    @property
    def deleting(self) -> bool:
        """Whether its deletion was asked for."""
        return self.obj.metadata.deletion_timestamp is not None

    def waits_with(self, finalizer: str) -> bool:
        """Whether it is being deleted and held back by this finalizer."""
        return self.deleting and finalizer in self.obj.metadata.finalizers

    def blocks(self, owner: str) -> bool:
        """Whether an owner that is deleted in the foreground waits for this object."""
        refs = self.obj.metadata.owner_references
        return any(ref.uid == owner and ref.block_owner_deletion for ref in refs)


class Graph:
    """The objects by uid, and who depends on whom."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._dependents: dict[str, set[str]] = {}

    def get(self, uid: str) -> Entry | None:
        """The object of that uid."""
        return self._entries.get(uid)

    def dependents(self, uid: str) -> list[Entry]:
        """The objects that name an owner, whether it exists or not."""
        return [self._entries[each] for each in sorted(self._dependents.get(uid, ()))]

    def put(self, entry: Entry) -> None:
        """Take in a new or changed object."""
        self._unlink(entry.uid)
        self._entries[entry.uid] = entry
        for ref in entry.obj.metadata.owner_references:
            self._dependents.setdefault(ref.uid, set()).add(entry.uid)

    def remove(self, uid: str) -> None:
        """Drop an object that is gone; its dependents go on naming it."""
        self._unlink(uid)
        self._entries.pop(uid, None)

    def _unlink(self, uid: str) -> None:
        entry = self._entries.get(uid)
        for ref in entry.obj.metadata.owner_references if entry is not None else ():
            dependents = self._dependents.get(ref.uid, set())
            dependents.discard(uid)
            if not dependents:
                self._dependents.pop(ref.uid, None)


class Owners(msgspec.Struct, frozen=True):
    """The owners of an object, sorted by what they mean for its life."""

    solid: tuple[OwnerReference, ...]
    """Exist: they keep it."""
    lost: tuple[OwnerReference, ...]
    """Are gone, or wait in the foreground for it to go."""

    @property
    def doomed(self) -> bool:
        """Whether no owner keeps the object any more."""
        return bool(self.lost) and not self.solid


def sort_owners(entry: Entry, graph: Graph, absent: frozenset[str]) -> Owners:
    """Sort an object's owners; ``absent`` are uids that were looked up and do not exist."""
    refs = entry.obj.metadata.owner_references
    lost = tuple(ref for ref in refs if _lost(entry, ref, graph, absent))
    return Owners(tuple(ref for ref in refs if ref not in lost), lost)


def _lost(entry: Entry, ref: OwnerReference, graph: Graph, absent: frozenset[str]) -> bool:
    owner = graph.get(ref.uid)
    if owner is None:
        return ref.uid in absent
    return owner.waits_with(FOREGROUND)

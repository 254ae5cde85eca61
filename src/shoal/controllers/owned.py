"""An index of objects by the uid of the object that controls them."""

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec.structs import replace

from shoal.api.claim import ResourceClaim
from shoal.api.meta import Object, OwnerReference
from shoal.kube.reflector import Delta

T = TypeVar("T", bound=Object)


def controller_of(obj: Object) -> OwnerReference | None:
    """The owner that manages an object, if it has one."""
    return next((ref for ref in obj.metadata.owner_references if ref.controller), None)


class Owned(Generic[T]):
    """The objects of one kind by their controlling owner.

    ``fold`` makes the indexed object from the one indexed before and the newest.
    """

    def __init__(self, fold: Callable[[T, T], T] = lambda _, new: new) -> None:
        self._fold = fold
        self._by_owner: dict[str, dict[str, T]] = {}

    def note(self, delta: Delta[T]) -> OwnerReference | None:
        """Take a change in; the owner whose objects changed."""
        owner = controller_of(delta.any)
        before = controller_of(delta.old) if delta.old is not None else None
        if before is not None and (owner is None or owner.uid != before.uid):
            self._drop(before.uid, delta.any.metadata.name)
        if owner is None:
            return before
        objects = self._by_owner.setdefault(owner.uid, {})
        name = delta.any.metadata.name
        if delta.new is not None:
            known = objects.get(name)
            objects[name] = delta.new if known is None else self._fold(known, delta.new)
        else:
            self._drop(owner.uid, name)
        return owner

    def of(self, uid: str) -> tuple[T, ...]:
        """The objects that an owner controls."""
        return tuple(self._by_owner.get(uid, {}).values())

    def _drop(self, owner: str, name: str) -> None:
        objects = self._by_owner.get(owner, {})
        objects.pop(name, None)
        if not objects:
            self._by_owner.pop(owner, None)


def keep_allocation(before: ResourceClaim, new: ResourceClaim) -> ResourceClaim:
    """The newest claim with the last cards that it held.

    A claim is cleared the moment its pod ends, which may be before the run's status has
    told which cards it had.
    """
    if new.status.allocation is not None or before.metadata.uid != new.metadata.uid:
        return new
    return replace(new, status=replace(new.status, allocation=before.status.allocation))

"""What a namespace that is being deleted says of what is left in it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from shoal.api.kinds import Kind
from shoal.api.meta import Object

_SHOWN: Final = 5
"""Kinds and finalizers that a sentence names at most."""


class Remains(msgspec.Struct, frozen=True):
    """What is left of one kind: how many objects, and the finalizers that hold them."""

    count: int
    holders: frozenset[str]


def remains_of(objects: Sequence[Object]) -> Remains:
    """What these objects of one kind amount to."""
    held = frozenset(name for obj in objects for name in obj.metadata.finalizers)
    return Remains(len(objects), held)


def conditions_of(left: Mapping[Kind[Any], Remains]) -> list[dict[str, str]]:
    """The conditions that tell it, without their times. There is something left."""
    kinds = [f"{remains.count} {kind.plural}" for kind, remains in left.items()]
    holders = {holder for remains in left.values() for holder in remains.holders}
    finalizers = "NamespaceFinalizersRemaining"
    held = f"finalizers hold objects back: {_named(holders)}"
    deleted = ("False", "ContentDeleted", "all of it is deleted or being deleted")
    there = ("True", "SomeResourcesRemain", f"still there: {_named(kinds)}")
    return [
        _condition("NamespaceDeletionContentFailure", *deleted),
        _condition("NamespaceContentRemaining", *there),
        _condition(finalizers, "True", "SomeFinalizersRemain", held)
        if holders
        else _condition(finalizers, "False", "ContentHasNoFinalizers", "nothing holds it"),
    ]


def _named(names: Iterable[str]) -> str:
    known = sorted(names)
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return ", ".join(known[:_SHOWN]) + more


def _condition(kind: str, status: str, reason: str, message: str) -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": message}

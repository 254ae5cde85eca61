"""What a namespace that is being deleted says of what is left in it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from shoal.api.kinds import Kind
from shoal.api.meta import Object

Left = tuple[Kind[Any], Object]
"""An object that is still there."""

_SHOWN: Final = 5
"""Kinds and finalizers that a sentence names at most."""


def remaining(left: Sequence[Left]) -> list[dict[str, str]]:
    """The conditions for these objects, without their times."""
    kinds = Counter(kind.plural for kind, _ in left)
    holders = Counter(held for _, obj in left for held in obj.metadata.finalizers)
    content, finalizers = "NamespaceContentRemaining", "NamespaceFinalizersRemaining"
    return [
        _condition(
            "NamespaceDeletionContentFailure", "False", "ContentDeleted", "all of it was deleted"
        ),
        _condition(content, "True", "SomeResourcesRemain", _say(kinds))
        if kinds
        else _condition(content, "False", "ContentRemoved", "nothing is left"),
        _condition(finalizers, "True", "SomeFinalizersRemain", _say(holders))
        if holders
        else _condition(finalizers, "False", "ContentHasNoFinalizers", "nothing holds it"),
    ]


def _say(counted: Counter[str]) -> str:
    named = [f"{name}: {count}" for name, count in sorted(counted.items())]
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    return f"still there: {', '.join(named[:_SHOWN])}{more}"


def _condition(kind: str, status: str, reason: str, message: str) -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": message}

"""Types that are known before an expression runs."""

from collections.abc import Mapping
from typing import Final

import msgspec


class Type(msgspec.Struct, frozen=True):
    """A kind of values. ``item`` is what a list, a map or an optional holds, None: anything.

    ``fields`` are those of an object that has no others.
    """

    kind: str
    item: "Type | None" = None
    fields: "Mapping[str, Type] | None" = None

    @property
    def inside(self) -> "Type":
        """What it holds."""
        return self.item or ANY


ANY: Final = Type("any")
"""Whatever it is, that is known only when the expression runs."""
BOOL: Final = Type("bool")
STRING: Final = Type("string")
INT: Final = Type("int")


def list_of(item: Type) -> Type:
    """Lists of one type."""
    return Type("list", item)


def optional_of(item: Type) -> Type:
    """Values of one type that may not be there."""
    return Type("optional", item)


def common(types: list[Type]) -> Type:
    """The type that some values share; anything where they differ, or there are none."""
    return types[0] if types and all(one == types[0] for one in types) else ANY


def told(text: str) -> Type:
    """A type as functions give it: ``list:string``."""
    kind, _, item = text.partition(":")
    return Type(kind, Type(item) if item else None)

"""Values, the steps they cost, and equality and order between them."""

import datetime
import ipaddress
from fractions import Fraction
from typing import Any, Final, TypeAlias
from urllib.parse import SplitResult

import msgspec

from shoal.dialect.cel.errors import CelError, OutOfSteps

Value: TypeAlias = Any
"""What an expression works with: JSON values, times, and what functions make of texts."""

_MOST_STEPS: Final = 200_000
_LONG: Final = 64
_MANY: Final = 8
_WHOLE: Final = 1 << 63


class Optional(msgspec.Struct, frozen=True):
    """A value, or that there is none."""

    value: Value = None
    present: bool = True


NOTHING: Final = Optional(present=False)


class Kind(msgspec.Struct, frozen=True):
    """The type of a value, as a value."""

    name: str


class Format(msgspec.Struct, frozen=True):
    """The name of a format that texts may have."""

    name: str


class Steps:
    """What is left of the steps that all rules of one object may take together."""

    def __init__(self, left: int = _MOST_STEPS) -> None:
        self._left = left

    def spend(self, count: int = 1) -> None:
        """Raises OutOfSteps."""
        self._left -= count
        if self._left < 0:
            raise OutOfSteps

    def spend_on(self, value: Value) -> None:
        """Spend for looking through a text, list or map."""
        if isinstance(value, str):
            self.spend(len(value) // _LONG)
        elif isinstance(value, list | dict):
            self.spend(len(value) // _MANY)


def kind_of(value: Value) -> str:
    """The type as CEL names it."""
    if value is None:
        return "null_type"
    return _KINDS.get(type(value), "dyn")


_KINDS: Final[dict[type, str]] = {
    bool: "bool",
    datetime.datetime: "timestamp",
    datetime.timedelta: "duration",
    dict: "map",
    float: "double",
    int: "int",
    list: "list",
    str: "string",
    Format: "format",
    Fraction: "quantity",
    Kind: "type",
    Optional: "optional",
    SplitResult: "url",
    ipaddress.IPv4Address: "ip",
    ipaddress.IPv4Interface: "cidr",
    ipaddress.IPv6Address: "ip",
    ipaddress.IPv6Interface: "cidr",
}
_NUMBERS: Final = frozenset({"int", "double"})


def equal(one: Value, other: Value, steps: Steps) -> bool:
    """Numbers are equal across their types; values of other types never are."""
    steps.spend()
    kinds = {kind_of(one), kind_of(other)}
    if len(kinds) > 1 and not kinds <= _NUMBERS:
        return False
    if isinstance(one, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(equal(a, b, steps) for a, b in pairs)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[k], other[k], steps) for k in one)
    if isinstance(one, Optional):
        both = one.present and other.present
        return one.present == other.present and (not both or equal(one.value, other.value, steps))
    steps.spend_on(one)
    return bool(one == other)


def less(one: Value, other: Value, steps: Steps) -> bool:
    """Raises CelError where the two have no order."""
    steps.spend_on(one)
    kinds = {kind_of(one), kind_of(other)}
    if (len(kinds) == 1 or kinds <= _NUMBERS) and kinds <= _ORDERED:
        return bool(one < other)
    raise CelError(f"there is no order between {' and '.join(sorted(kinds))}")


_ORDERED: Final = frozenset({"bool", "double", "duration", "int", "string", "timestamp"})


def whole(value: int) -> int:
    """A whole number, which must fit 64 bits. Raises CelError."""
    if not -_WHOLE <= value < _WHOLE:
        raise CelError("a whole number does not fit 64 bits")
    return value

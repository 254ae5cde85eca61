"""Values, the steps they cost, and equality and order between them."""

import datetime
from typing import Any, Final, TypeAlias

from shoal.dialect.cel.errors import CelError, OutOfSteps

Value: TypeAlias = Any
"""What an expression works with: JSON values, and times and durations."""

_MOST_STEPS: Final = 200_000
_LONG: Final = 64
_WHOLE: Final = 1 << 63


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
        if isinstance(value, str | list | dict):
            self.spend(len(value) // _LONG)


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

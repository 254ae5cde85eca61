"""Functions of texts, lists, times and conversions, by name and number of arguments.

A function's first value is its target, where it is called on one.
"""

import datetime
import functools
import itertools
import math
import re
from collections.abc import Callable, Mapping
from typing import Final

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.values import Steps, Value, equal, kind_of, less, whole
from shoal.dialect.structural.patterns import PatternError, pattern

Function = Callable[..., Value]
"""Takes the values and, last, the steps."""


def _typed(*kinds: str) -> Callable[[Function], Function]:
    """Refuse values of other types, and spend for the length of the first."""

    def wrap(function: Function) -> Function:
        @functools.wraps(function)
        def call(*values: Value) -> Value:
            *given, steps = values
            for value, kind in zip(given, kinds, strict=True):
                if kind not in ("any", kind_of(value)):
                    raise CelError(f"a {kind} is needed, not a {kind_of(value)}")
            steps.spend_on(given[0])
            return function(*values)

        return call

    return wrap


@_typed("any")
def _size(value: Value, steps: Steps) -> int:
    if isinstance(value, str | list | dict):
        return len(value)
    raise CelError(f"a {kind_of(value)} has no size")


@_typed("string", "string")
def _matches(value: str, text: str, steps: Steps) -> bool:
    return _pattern(text)(value)


def _pattern(text: str) -> Callable[[str], bool]:
    try:
        return pattern(text)
    except PatternError as error:
        raise CelError(str(error)) from error


@_typed("string", "string")
def _split(value: str, separator: str, steps: Steps) -> list[str]:
    return value.split(separator) if separator else list(value)


@_typed("string", "int", "int")
def _substring(value: str, start: int, end: int, steps: Steps) -> str:
    if not 0 <= start <= end <= len(value):
        raise CelError(f"{start} to {end} is out of a text of {len(value)} letters")
    return value[start:end]


@_typed("string", "int")
def _char_at(value: str, at: int, steps: Steps) -> str:
    if not 0 <= at <= len(value):
        raise CelError(f"{at} is out of a text of {len(value)} letters")
    return value[at : at + 1]


@_typed("string", "string", "string")
def _replace(value: str, old: str, new: str, steps: Steps) -> str:
    steps.spend(value.count(old) * max(len(new), 1) // 8 if new else 0)
    return value.replace(old, new)


def _index_of(value: Value, part: Value, steps: Steps) -> int:
    return _position(value, part, steps, last=False)


def _last_index_of(value: Value, part: Value, steps: Steps) -> int:
    return _position(value, part, steps, last=True)


def _position(value: Value, part: Value, steps: Steps, *, last: bool) -> int:
    steps.spend_on(value)
    if isinstance(value, str) and isinstance(part, str):
        return value.rfind(part) if last else value.find(part)
    if not isinstance(value, list):
        raise CelError(f"a {kind_of(value)} has no positions")
    found = [index for index, item in enumerate(value) if equal(item, part, steps)]
    return found[-1 if last else 0] if found else -1


@_typed("list", "string")
def _join(items: list[Value], separator: str, steps: Steps) -> str:
    if not all(isinstance(item, str) for item in items):
        raise CelError("only texts can be joined")
    steps.spend(len(items))
    return separator.join(items)


@_typed("list")
def _is_sorted(items: list[Value], steps: Steps) -> bool:
    return not any(less(b, a, steps) for a, b in itertools.pairwise(items))


@_typed("list")
def _sum(items: list[Value], steps: Steps) -> Value:
    steps.spend(len(items))
    if {kind_of(item) for item in items} <= {"int"}:
        return whole(sum(items))
    if {kind_of(item) for item in items} == {"double"}:
        return math.fsum(items)
    raise CelError("only numbers can be added up")


def _extreme(*, most: bool) -> Function:
    @_typed("list")
    def extreme(items: list[Value], steps: Steps) -> Value:
        if not items:
            raise CelError("an empty list has neither least nor greatest")
        best = items[0]
        for item in items[1:]:
            if less(best, item, steps) if most else less(item, best, steps):
                best = item
        return best

    return extreme


@_typed("any")
def _int(value: Value, steps: Steps) -> int:
    match kind_of(value):
        case "int":
            return int(value)
        case "double" if math.isfinite(value):
            return whole(int(value))
        case "string" if re.match(r"[-+]?\d{1,20}\Z", value, re.ASCII):
            return whole(int(value))
        case "timestamp":
            return int(value.timestamp())
    raise CelError("no whole number can be made of this")


@_typed("any")
def _double(value: Value, steps: Steps) -> float:
    try:
        if kind_of(value) in ("int", "double", "string"):
            return float(value)
    except ValueError as error:
        raise CelError(f"{value[:40]!r} is no number") from error
    raise CelError(f"no number can be made of a {kind_of(value)}")


@_typed("any")
def _string(value: Value, steps: Steps) -> str:
    match kind_of(value):
        case "bool":
            return "true" if value else "false"
        case "string" | "int":
            return str(value)
        case "double":
            return format(value, "g") if value != int(value) else str(int(value))
    raise CelError(f"no text can be made of a {kind_of(value)}")


@_typed("any")
def _bool(value: Value, steps: Steps) -> bool:
    if value in (True, "true"):
        return True
    if value in (False, "false"):
        return False
    raise CelError("this is neither true nor false")


_UNITS: Final = {"h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1000, "us": 1}
_PART: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us)", re.ASCII)
_DURATION: Final = re.compile(r"[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us))+\Z", re.ASCII)


@_typed("any")
def duration(value: Value, steps: Steps) -> datetime.timedelta:
    """A duration out of a text such as ``1h30m``. Raises CelError."""
    if isinstance(value, datetime.timedelta):
        return value
    if value == "0":
        return datetime.timedelta()
    if not isinstance(value, str) or not _DURATION.match(value):
        raise CelError("this is no duration; example: 1h30m")
    total = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(value))
    try:
        return datetime.timedelta(microseconds=-total if value[0] == "-" else total)
    except OverflowError as error:
        raise CelError("the duration is too long") from error


@_typed("any")
def timestamp(value: Value, steps: Steps) -> datetime.datetime:
    """A time out of a text such as ``2026-01-31T12:00:00Z``. Raises CelError."""
    if isinstance(value, datetime.datetime):
        return value
    try:
        read = datetime.datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise CelError("this is no time; example: 2026-01-31T12:00:00Z") from error
    return read if read.tzinfo else read.replace(tzinfo=datetime.UTC)


def _of_text(function: Callable[..., Value], *more: str) -> Function:
    return _typed("string", *more)(lambda *values: function(*values[:-1]))


FUNCTIONS: Final[Mapping[tuple[str, int], Function]] = {
    ("bool", 1): _bool,
    ("double", 1): _double,
    ("duration", 1): duration,
    ("dyn", 1): lambda value, steps: value,
    ("int", 1): _int,
    ("size", 1): _size,
    ("string", 1): _string,
    ("timestamp", 1): timestamp,
}
"""Functions of values, by name and number of values."""
METHODS: Final[Mapping[tuple[str, int], Function]] = {
    ("charAt", 2): _char_at,
    ("contains", 2): _of_text(lambda text, part: part in text, "string"),
    ("endsWith", 2): _of_text(str.endswith, "string"),
    ("indexOf", 2): _index_of,
    ("isSorted", 1): _is_sorted,
    ("join", 1): lambda items, steps: _join(items, "", steps),
    ("join", 2): _join,
    ("lastIndexOf", 2): _last_index_of,
    ("lowerAscii", 1): _of_text(str.lower),
    ("matches", 2): _matches,
    ("max", 1): _extreme(most=True),
    ("min", 1): _extreme(most=False),
    ("replace", 3): _replace,
    ("size", 1): _size,
    ("split", 2): _split,
    ("startsWith", 2): _of_text(str.startswith, "string"),
    ("substring", 2): lambda text, start, steps: _substring(
        text, start, len(text) if isinstance(text, str) else 0, steps
    ),
    ("substring", 3): _substring,
    ("sum", 1): _sum,
    ("trim", 1): _of_text(str.strip),
    ("upperAscii", 1): _of_text(str.upper),
}
"""Functions called on a value, by name and number of values with the target."""

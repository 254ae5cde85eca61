"""Arithmetic and access."""

import datetime
import math
from collections.abc import Callable, Mapping
from typing import Final

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.values import NOTHING, Optional, Steps, Value, equal, kind_of, less, whole

_Operator = Callable[[Value, Value, Steps], Value]
_TIMES: Final = (datetime.datetime, datetime.timedelta)


def _add(one: Value, other: Value, steps: Steps) -> Value:
    match kind_of(one), kind_of(other):
        case "int", "int":
            return whole(one + other)
        case ("double", "double") | ("string", "string") | ("list", "list"):
            steps.spend_on(one)
            steps.spend_on(other)
            return one + other
        case ("timestamp" | "duration", "duration") | ("duration", "timestamp"):
            return _timely(lambda: one + other)
    raise _untyped("+", one, other)


def _subtract(one: Value, other: Value, steps: Steps) -> Value:
    match kind_of(one), kind_of(other):
        case "int", "int":
            return whole(one - other)
        case "double", "double":
            return one - other
        case ("timestamp", "timestamp" | "duration") | ("duration", "duration"):
            return _timely(lambda: one - other)
    raise _untyped("-", one, other)


def _multiply(one: Value, other: Value, steps: Steps) -> Value:
    match kind_of(one), kind_of(other):
        case "int", "int":
            return whole(one * other)
        case "double", "double":
            return one * other
    raise _untyped("*", one, other)


def _divide(one: Value, other: Value, steps: Steps) -> Value:
    match kind_of(one), kind_of(other):
        case "int", "int":
            _check_divisor(other)
            return whole(abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1))
        case "double", "double":
            return one / other if other else math.copysign(math.inf, one) if one else math.nan
    raise _untyped("/", one, other)


def _modulo(one: Value, other: Value, steps: Steps) -> Value:
    if (kind_of(one), kind_of(other)) != ("int", "int"):
        raise _untyped("%", one, other)
    _check_divisor(other)
    return int(math.copysign(1, one)) * (abs(one) % abs(other))


def _contains(one: Value, other: Value, steps: Steps) -> bool:
    if isinstance(other, list):
        return any(equal(one, item, steps) for item in other)
    if isinstance(other, dict):
        return isinstance(one, str) and one in other
    raise _untyped("in", one, other)


def optional_index(target: Value, at: Value, steps: Steps) -> Value:
    """``target[?at]``: what is there, if anything. Raises CelError."""
    if isinstance(target, Optional):
        return optional_index(target.value, at, steps) if target.present else NOTHING
    if isinstance(target, dict) and isinstance(at, str):
        return Optional(target[at]) if at in target else NOTHING
    if isinstance(target, list) and isinstance(at, int) and not isinstance(at, bool):
        return Optional(target[at]) if 0 <= at < len(target) else NOTHING
    raise _untyped("[?]", target, at)


def index(target: Value, at: Value, steps: Steps) -> Value:
    """``target[at]``, of an optional value what is there, if anything. Raises CelError."""
    if isinstance(target, Optional):
        return optional_index(target, at, steps)
    if isinstance(target, dict) and isinstance(at, str):
        return field(target, at)
    if isinstance(target, list) and isinstance(at, int) and not isinstance(at, bool):
        if 0 <= at < len(target):
            return target[at]
        raise CelError(f"there is no item {at} in a list of {len(target)}")
    raise _untyped("[]", target, at)


def field(target: Value, name: str) -> Value:
    """``target.name``, of an optional value what is there, if anything. Raises CelError."""
    if isinstance(target, Optional):
        return optional_field(target, name)
    if not isinstance(target, dict):
        raise CelError(f"there is no field {name} in a {kind_of(target)}")
    if name not in target:
        raise CelError(f"there is no field {name}")
    return target[name]


def optional_field(target: Value, name: str) -> Value:
    """``target.?name``: the field, if it is there. Raises CelError."""
    if isinstance(target, Optional):
        return optional_field(target.value, name) if target.present else NOTHING
    if not isinstance(target, dict):
        raise CelError(f"there is no field {name} in a {kind_of(target)}")
    return Optional(target[name]) if name in target else NOTHING


def _timely(value: Callable[[], Value]) -> Value:
    try:
        return value()
    except OverflowError as error:
        raise CelError("a time is out of range") from error


def _check_divisor(value: int) -> None:
    if value == 0:
        raise CelError("division by zero")


def _untyped(sign: str, one: Value, other: Value) -> CelError:
    return CelError(f"{sign} is not for {kind_of(one)} and {kind_of(other)}")


OPERATORS: Final[Mapping[str, _Operator]] = {
    "!=": lambda one, other, steps: not equal(one, other, steps),
    "%": _modulo,
    "*": _multiply,
    "+": _add,
    "-": _subtract,
    "/": _divide,
    "<": less,
    "<=": lambda one, other, steps: less(one, other, steps) or equal(one, other, steps),
    "==": equal,
    ">": lambda one, other, steps: less(other, one, steps),
    ">=": lambda one, other, steps: less(other, one, steps) or equal(one, other, steps),
    "[?]": optional_index,
    "[]": index,
    "in": _contains,
}
"""Operators of two values, by their signs."""

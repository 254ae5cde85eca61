"""From one type to another, and the types themselves."""

import datetime
import math
import re
from typing import Final

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.function import Functions, taking
from shoal.dialect.cel.values import Kind, Steps, Value, kind_of, whole

KINDS: Final = ("bool", "double", "int", "list", "map", "null_type", "string", "type")
"""Types that have a name in expressions."""


def text_of(value: Value) -> str:
    """A value as a text. Raises CelError."""
    match kind_of(value):
        case "bool":
            return "true" if value else "false"
        case "double" if math.isfinite(value):
            return str(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)
        case "double":
            return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, "NaN")
        case "string" | "int" | "ip" | "cidr":
            return str(value)
        case "timestamp":
            return _time(value)
        case "duration":
            return f"{text_of(value.total_seconds())}s"
    raise CelError(f"no text can be made of a {kind_of(value)}")


def _time(value: datetime.datetime) -> str:
    try:
        written = value.astimezone(datetime.UTC).isoformat()
    except OverflowError as error:
        raise CelError("a time is out of range") from error
    return written.replace("+00:00", "Z")


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


def _double(value: Value, steps: Steps) -> float:
    try:
        if kind_of(value) in ("int", "double", "string"):
            return float(value)
    except ValueError as error:
        raise CelError(f"{value[:40]!r} is no number") from error
    raise CelError(f"no number can be made of a {kind_of(value)}")


def _bool(value: Value, steps: Steps) -> bool:
    if value in (True, "true"):
        return True
    if value in (False, "false"):
        return False
    raise CelError("this is neither true nor false")


def _size(value: Value, steps: Steps) -> int:
    return len(value)


FUNCTIONS: Final[Functions] = {
    ("bool", 1): taking("any", "bool", _bool),
    ("double", 1): taking("any", "double", _double),
    ("dyn", 1): taking("any", "any", lambda value, steps: value),
    ("int", 1): taking("any", "int", _int),
    ("size", 1): taking("string|list|map", "int", _size),
    ("string", 1): taking("any", "string", lambda value, steps: text_of(value)),
    ("type", 1): taking("any", "type", lambda value, steps: Kind(kind_of(value))),
}
METHODS: Final[Functions] = {("size", 1): FUNCTIONS["size", 1]}

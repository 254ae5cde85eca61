"""The scalars of the schema table: the values they take, and the one way each is written."""

import base64
import binascii
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec

from shoal.dialect.document import Json
from shoal.units.errors import UnitError
from shoal.units.quantity import canonical

_TIME: Final = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)\Z", re.ASCII
)
_SECONDS: Final = len("2026-01-31T12:00:00Z")
_LONGEST: Final = 40


class Misfit(ValueError):
    """A value of the wrong type: what it takes, and where it lies."""

    def __init__(self, told: str, got: Json = None, path: str = "") -> None:
        self._told: Final = told
        self._got: Final = got
        self.path: Final = path

    def below(self, step: str) -> "Misfit":
        """The same, told from one step further up."""
        return Misfit(self._told, self._got, step + self.path)

    def __str__(self) -> str:
        told = self._told
        if self._got is not None:
            got = msgspec.json.encode(self._got).decode()
            told += f", got {got if len(got) <= _LONGEST else got[:_LONGEST] + '…'}"
        return f"{self.path.removeprefix('.')}: {told}" if self.path else told


def _any(value: Json) -> Json:
    return value


def _amount(value: Json) -> Json:
    try:
        if type(value) in (str, int, float):
            return canonical(str(value))
    except UnitError:
        pass
    raise Misfit("takes an amount such as 500m or 2Gi", value)


def _bytes(value: Json) -> Json:
    try:
        if type(value) is str:
            base64.b64decode(value, validate=True)
            return value
    except (binascii.Error, ValueError):
        pass
    raise Misfit("takes bytes as base64", value)


def _flag(value: Json) -> Json:
    if type(value) is bool:
        return value
    raise Misfit("takes true or false", value)


def _number(value: Json) -> Json:
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    raise Misfit("takes a number", value)


def _object(value: Json) -> Json:
    if type(value) is dict:
        return value
    raise Misfit("takes an object", value)


def _text(value: Json) -> Json:
    if type(value) is str:
        return value
    raise Misfit("takes a text", value)


def _time(value: Json) -> Json:
    instant = _instant(value)
    if len(value) == _SECONDS:
        return value
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ").zfill(_SECONDS)


def _microtime(value: Json) -> Json:
    return _instant(value).strftime("%Y-%m-%dT%H:%M:%S.%fZ").zfill(_SECONDS + 7)


def _instant(value: Json) -> datetime:
    try:
        if type(value) is str and _TIME.match(value):
            return datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise Misfit("takes a time such as 2026-01-31T12:00:00Z", value)


def _whole(bits: int) -> Callable[[Json], Json]:
    end = 1 << (bits - 1)

    def take(value: Json) -> Json:
        if type(value) is not int:
            raise Misfit("takes a whole number", value)
        if not -end <= value < end:
            raise Misfit(f"takes a whole number of {bits} bits", value)
        return value

    return take


_PORT: Final = _whole(32)


def _whole_or_text(value: Json) -> Json:
    if type(value) is str:
        return value
    if type(value) is int:
        return _PORT(value)
    raise Misfit("takes a whole number or a text", value)


SCALARS: Final[Mapping[str, Callable[[Json], Json]]] = {
    "amount": _amount,
    "any": _any,
    "bytes": _bytes,
    "flag": _flag,
    "microtime": _microtime,
    "number": _number,
    "object": _object,
    "text": _text,
    "time": _time,
    "whole": _whole(64),
    "whole or text": _whole_or_text,
    "whole32": _PORT,
}
"""The stored form of a value, by scalar. Each raises Misfit for a value of another type."""

EMPTY: Final[Mapping[str, Json]] = {
    "amount": "0",
    "bytes": "",
    "flag": False,
    "number": 0,
    "text": "",
    "whole": 0,
    "whole or text": 0,
    "whole32": 0,
}
"""What a null stands for in a list or a map of the scalar."""

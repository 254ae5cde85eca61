"""The types of the fields of Kubernetes' own kinds: what a client could not decode is not stored.

The table beside this file is made by ``tools/field_types.py``.
"""

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from shoal.dialect.document import Json
from shoal.units.errors import UnitError
from shoal.units.quantity import parse_quantity

_MOST: Final = 2**63
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)\Z", re.ASCII)

Table = Mapping[str, Mapping[str, str]]


def wrong_type(group: str, version: str, kind: str, document: Json) -> str:
    """The first field of a wrong type, with what it takes; empty where all of them fit.

    Unknown fields and kinds are nobody's business here; a null counts as not given.
    """
    name = f"{group.partition('.')[0] or 'core'}.{version}.{kind}"
    return _wrong(document, name, _table()).removeprefix(".") if name in _table() else ""


@functools.cache
def _table() -> Table:
    file = Path(__file__).with_name("field_types.json")
    return msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, str]])


def _wrong(value: Json, expected: str, table: Table) -> str:
    """What is wrong, after the path to it from here."""
    if value is None:
        return ""
    if expected.startswith("[]"):
        return _wrong_list(value, expected[2:], table)
    if expected.startswith("{}"):
        return _wrong_object(value, lambda _: expected[2:], table)
    if expected in table:
        return _wrong_object(value, table[expected].get, table)
    good, words = _SCALARS[expected]
    return "" if good(value) else _told(words, value)


def _wrong_list(value: Json, expected: str, table: Table) -> str:
    if not isinstance(value, list):
        return _told("a list", value)
    for index, item in enumerate(value):
        if told := _wrong(item, expected, table):
            return f"[{index}]{told}"
    return ""


def _wrong_object(value: Json, field_type: Callable[[str], str | None], table: Table) -> str:
    if not isinstance(value, dict):
        return _told("an object", value)
    for name, inside in value.items():
        expected = field_type(name)
        if expected is not None and (told := _wrong(inside, expected, table)):
            return f".{name}{told}"
    return ""


def _told(words: str, value: Json) -> str:
    got = msgspec.json.encode(value).decode()
    return f": takes {words}, got {got if len(got) <= 40 else got[:40] + '…'}"


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_whole(value: Json) -> bool:
    return type(value) is int and -_MOST <= value < _MOST


def _is_time(value: Json) -> bool:
    return isinstance(value, str) and _TIME.match(value) is not None


def _is_amount(value: Json) -> bool:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return False
    try:
        parse_quantity(str(value))
    except UnitError:
        return False
    return True


_SCALARS: Final[Mapping[str, tuple[Callable[[Json], bool], str]]] = {
    "amount": (_is_amount, "an amount such as 500m or 2Gi"),
    "any": (lambda value: True, ""),
    "flag": (lambda value: isinstance(value, bool), "true or false"),
    "text": (_is_text, "a text"),
    "time": (_is_time, "a time such as 2026-01-31T12:00:00Z"),
    "whole": (_is_whole, "a whole number"),
    "whole or text": (
        lambda value: _is_text(value) or _is_whole(value),
        "a whole number or a text",
    ),
}

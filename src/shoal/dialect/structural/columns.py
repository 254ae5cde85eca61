"""Printer columns: paths into an object, and cells made of what is there.

A path is ``.spec.queue``, ``.spec.ports[0].port``, ``.spec.items[*].name`` or
``.status.conditions[?(@.type=="Ready")].status``.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from shoal.dialect.document import Document, Json
from shoal.dialect.table import UNKNOWN, age

_STEP: Final = re.compile(
    r"""\.(?P<field>(?:[^.\[\]\\{}\s]|\\.)+)
    |\['(?P<quoted>[^'\]]+)'\]
    |\[(?P<index>\d+)\]
    |\[(?P<every>\*)\]
    |\[\?\(\s*@\.(?P<key>[A-Za-z0-9_.-]+)\s*==\s*(?P<mark>["'])(?P<value>.*?)(?P=mark)\s*\)\]""",
    re.VERBOSE,
)

Step = Callable[[Json], Iterator[Json]]
Cell = Callable[[Document, int], Any]
"""What a column shows of an object at a time (Unix seconds)."""


def wrong_path(path: str, *, plain: bool = False) -> str:
    """Why a path cannot be followed; empty where it can. ``plain``: fields alone are taken."""
    if not path.startswith("."):
        return f"{path[:60]!r} is no path; example: .spec.queue"
    steps = list(_matches(path))
    if not steps or None in steps or (plain and any(not s.group("field") for s in steps if s)):
        return f"{path[:60]!r} cannot be followed here; example: .spec.queue"
    return ""


def column_cell(path: str, kind: str) -> Cell:
    """The cell of a column; None stands where there is nothing."""
    steps = [_step(match) for match in _matches(path) if match is not None]
    if kind == "date":
        return lambda document, now: _date(_first(document, steps), now)
    return lambda document, now: _shown(_all(document, steps), kind)


def dotted(path: str) -> str:
    """A plain path without its first dot: how fields are named elsewhere."""
    return path.removeprefix(".").replace("\\.", ".")


def _matches(path: str) -> Iterator[re.Match[str] | None]:
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        yield match
        if match is None:
            return
        at = match.end()


def _step(match: re.Match[str]) -> Step:
    if name := match.group("field") or match.group("quoted"):
        return _field(name.replace("\\", ""))
    if match.group("every"):
        return lambda value: iter(value if isinstance(value, list) else ())
    if index := match.group("index"):
        return _index(int(index))
    return _filter(match.group("key").split("."), match.group("value"))


def _field(name: str) -> Step:
    def step(value: Json) -> Iterator[Json]:
        if isinstance(value, dict) and name in value:
            yield value[name]

    return step


def _index(index: int) -> Step:
    def step(value: Json) -> Iterator[Json]:
        if isinstance(value, list) and index < len(value):
            yield value[index]

    return step


def _filter(keys: Sequence[str], wanted: str) -> Step:
    steps = [_field(key) for key in keys]

    def step(value: Json) -> Iterator[Json]:
        for item in value if isinstance(value, list) else ():
            if str(_first(item, steps)) == wanted:
                yield item

    return step


def _all(value: Json, steps: Sequence[Step]) -> list[Json]:
    found = [value]
    for step in steps:
        found = [inside for one in found for inside in step(one)]
    return found


def _first(value: Json, steps: Sequence[Step]) -> Json:
    return next(iter(_all(value, steps)), None)


def _date(value: Json, now: int) -> str | None:
    if value is None:
        return None
    return age(value, now) if isinstance(value, str) else UNKNOWN


def _shown(values: list[Json], kind: str) -> Json:
    """A cell of the column's type; several values are told as one text."""
    if not values or values[0] is None:
        return None
    if kind == "string":
        return ",".join(value if isinstance(value, str) else _text(value) for value in values)
    return values[0] if type(values[0]) in _TYPES[kind] else None


_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


def _text(value: Json) -> str:
    return msgspec.json.encode(value).decode()

"""Lengths, patterns, and what tells the items of a list apart."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from shoal.dialect.document import Document, Json
from shoal.dialect.status import DUPLICATE, INVALID, TOO_LONG, TOO_MANY, Cause
from shoal.dialect.structural.patterns import pattern
from shoal.dialect.structural.types import Check

_LIST_TYPE: Final = "x-kubernetes-list-type"
_LIST_KEYS: Final = "x-kubernetes-list-map-keys"


def text_checks(schema: Document) -> list[Check]:
    """``minLength``, ``maxLength`` and ``pattern``."""
    checks = _bounds(str, schema.get("minLength"), schema.get("maxLength"), "letters", TOO_LONG)
    if text := schema.get("pattern"):
        checks.append(_pattern_check(text))
    return checks


def list_checks(schema: Document) -> list[Check]:
    """``minItems``, ``maxItems`` and the list's type."""
    checks = _bounds(list, schema.get("minItems"), schema.get("maxItems"), "items", TOO_MANY)
    kind = schema.get(_LIST_TYPE)
    if kind == "set":
        checks.append(_unique_check(_encode))
    elif kind == "map":
        keys = tuple(schema.get(_LIST_KEYS) or ())
        checks.append(_unique_check(lambda item: _identity(item, keys)))
    return checks


def object_checks(schema: Document) -> list[Check]:
    """``minProperties`` and ``maxProperties``."""
    fewest, most = schema.get("minProperties"), schema.get("maxProperties")
    return _bounds(dict, fewest, most, "fields", TOO_MANY)


def _bounds(
    kind: type[Any], fewest: int | None, most: int | None, what: str, reason: str
) -> list[Check]:
    if fewest is None and most is None:
        return []

    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if not isinstance(value, kind):
            return
        size = len(value)
        if fewest is not None and size < fewest:
            causes.append(Cause(INVALID, f"has {size} {what}, takes at least {fewest}", path))
        if most is not None and size > most:
            causes.append(Cause(reason, f"has {size} {what}, takes at most {most}", path))

    return [check]


def _pattern_check(text: str) -> Check:
    matches = pattern(text)

    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if isinstance(value, str) and not matches(value):
            causes.append(Cause(INVALID, f"{value[:60]!r} does not match {text[:200]}", path))

    return check


def _unique_check(identity: Callable[[Json], object]) -> Check:
    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if not isinstance(value, list):
            return
        seen: set[object] = set()
        for index, item in enumerate(value):
            key = identity(item)
            if key in seen:
                told = "is there already; each may be given once"
                causes.append(Cause(DUPLICATE, told, f"{path}[{index}]"))
            seen.add(key)

    return check


def _identity(item: Json, keys: tuple[str, ...]) -> object:
    if not isinstance(item, dict):
        return _encode(item)
    return tuple(_encode(item.get(key)) for key in keys)


def _encode(value: Json) -> bytes:
    return msgspec.json.encode(value, order="sorted")

"""Checks: what a schema says of a value, as one closure that tells what is wrong."""

import math
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from shoal.dialect.document import Document, Json
from shoal.dialect.status import INVALID, NOT_SUPPORTED, REQUIRED, TYPE_INVALID, Cause
from shoal.dialect.structural.formats import wrong_format
from shoal.dialect.structural.junctors import junctor_checks
from shoal.dialect.structural.sizes import list_checks, object_checks, text_checks
from shoal.dialect.structural.types import Check, below

_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"


def checker(schema: Document) -> Check:
    """Adds a cause for all that is wrong with a value and with what is in it."""
    nullable = bool(schema.get("nullable"))
    fits, words = _type_of(schema)
    checks = tuple(_value_checks(schema))

    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if value is None and nullable:
            return
        if not fits(value):
            causes.append(Cause(TYPE_INVALID, f"takes {words}, got {_shown(value)}", path))
            return
        for one in checks:
            one(value, path, causes)

    return check


def _value_checks(schema: Document) -> list[Check]:
    checks = [
        *_enum_check(schema),
        *_number_checks(schema),
        *text_checks(schema),
        *_format_check(schema),
        *list_checks(schema),
        *object_checks(schema),
        *_required_check(schema),
        *junctor_checks(schema, checker),
    ]
    if isinstance(items := schema.get("items"), dict):
        checks.append(_items_check(checker(items)))
    named = {name: checker(inside) for name, inside in (schema.get("properties") or {}).items()}
    further = schema.get("additionalProperties")
    if named or isinstance(further, dict):
        checks.append(_fields_check(named, checker(further) if isinstance(further, dict) else None))
    return checks


def _type_of(schema: Document) -> tuple[Callable[[Json], bool], str]:
    if schema.get(_INT_OR_STRING):
        return lambda value: isinstance(value, str) or _is_whole(value), "a whole number or a text"
    return _TYPES.get(schema.get("type") or "", (lambda value: True, "anything"))


def _is_whole(value: Json) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Final[Mapping[str, tuple[Callable[[Json], bool], str]]] = {
    "array": (lambda value: isinstance(value, list), "a list"),
    "boolean": (lambda value: isinstance(value, bool), "true or false"),
    "integer": (_is_whole, "a whole number"),
    "number": (_is_number, "a number"),
    "object": (lambda value: isinstance(value, dict), "an object"),
    "string": (lambda value: isinstance(value, str), "a text"),
}


def _enum_check(schema: Document) -> list[Check]:
    allowed = schema.get("enum")
    if not allowed:
        return []
    encoded = {_encode(value) for value in allowed}
    words = ", ".join(_shown(value) for value in allowed)

    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if _encode(value) not in encoded:
            causes.append(Cause(NOT_SUPPORTED, f"{_shown(value)} is none of {words}", path))

    return [check]


def _number_checks(schema: Document) -> list[Check]:
    low, high, step = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf")
    open_low, open_high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is None and high is None and not step:
        return []

    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if not _is_number(value):
            return
        if low is not None and (value < low or (open_low and value == low)):
            told = f"is {value}, takes {'more than' if open_low else 'at least'} {low}"
            causes.append(Cause(INVALID, told, path))
        if high is not None and (value > high or (open_high and value == high)):
            told = f"is {value}, takes {'less than' if open_high else 'at most'} {high}"
            causes.append(Cause(INVALID, told, path))
        if step and not _divides(step, value):
            causes.append(Cause(INVALID, f"is {value}, takes a multiple of {step}", path))

    return [check]


def _divides(step: float, value: float) -> bool:
    ratio = value / step
    return math.isclose(ratio, round(ratio), rel_tol=1e-12) if math.isfinite(ratio) else False


def _format_check(schema: Document) -> list[Check]:
    name = schema.get("format")
    if not name:
        return []

    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if told := wrong_format(name, value):
            causes.append(Cause(TYPE_INVALID, told, path))

    return [check]


def _required_check(schema: Document) -> list[Check]:
    required = list(schema.get("required") or ())
    if schema.get(_EMBEDDED):
        required += [name for name in ("apiVersion", "kind") if name not in required]
    if not required:
        return []

    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if isinstance(value, dict):
            for name in required:
                if name not in value:
                    causes.append(Cause(REQUIRED, "must be given", below(path, name)))

    return [check]


def _items_check(item: Check) -> Check:
    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if isinstance(value, list):
            for index, inside in enumerate(value):
                item(inside, f"{path}[{index}]", causes)

    return check


def _fields_check(named: Mapping[str, Check], further: Check | None) -> Check:
    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if isinstance(value, dict):
            for name, inside in value.items():
                if (field := named.get(name, further)) is not None:
                    field(inside, f"{path}.{name}" if path else name, causes)

    return check


def _encode(value: Json) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def _shown(value: Json) -> str:
    text = _encode(value).decode()
    return text if len(text) <= 60 else text[:60] + "…"

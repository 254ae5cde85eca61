"""What a schema itself must be before objects are held against it.

Every value has a type, what junctors speak of is also spoken of outside them, defaults fit, and
nothing is in it that this room does not read.
"""

import contextlib
import copy
from collections.abc import Iterator
from typing import Final

from shoal.dialect.conform import conform
from shoal.dialect.document import Document
from shoal.dialect.scalars import Misfit
from shoal.dialect.status import FORBIDDEN, INVALID, NOT_SUPPORTED, REQUIRED, Cause
from shoal.dialect.structural.checks import checker
from shoal.dialect.structural.defaults import completer
from shoal.dialect.structural.patterns import PatternError, pattern
from shoal.dialect.structural.prune import pruner
from shoal.dialect.structural.rule_causes import rule_causes
from shoal.dialect.structural.rules import RULES

_SCHEMA: Final = "apiextensions.v1.JSONSchemaProps"
_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_LIST_TYPE: Final = "x-kubernetes-list-type"
_LIST_KEYS: Final = "x-kubernetes-list-map-keys"
_NEVER: Final = (
    "$ref",
    "definitions",
    "dependencies",
    "deprecated",
    "discriminator",
    "id",
    "patternProperties",
    "readOnly",
    "writeOnly",
    "xml",
)
_NOT_IN_JUNCTORS: Final = (
    "type",
    "description",
    "default",
    "additionalProperties",
    "nullable",
    _LIST_TYPE,
    _LIST_KEYS,
    RULES,
)


def schema_causes(schema: Document, path: str) -> list[Cause]:
    """What is wrong with the schema of whole objects that stands at ``path``."""
    causes = list(_causes(schema, path, whole=True))
    kind = schema.get("type")
    if kind and kind != "object":
        causes.append(Cause(INVALID, "must be object for the whole", f"{path}.type"))
    metadata = (schema.get("properties") or {}).get("metadata") or {}
    for name in metadata.get("properties") or {}:
        if name not in ("name", "generateName"):
            told = "only name and generateName of metadata may be restricted"
            causes.append(Cause(FORBIDDEN, told, f"{path}.properties[metadata]"))
    return causes


def fit_schema(schema: Document) -> None:
    """Bring schemas into their form that stand where the schema table takes anything.

    Raises Misfit for one that cannot be read.
    """
    for name in ("items", "additionalProperties"):
        if isinstance(inside := schema.get(name), dict):
            try:
                conform(_SCHEMA, inside)
            except Misfit as misfit:
                raise misfit.below(f".{name}") from None
    for _, inside in _below(schema):
        fit_schema(inside)
    for _, _, part in _parts(schema):
        fit_schema(part)


def _causes(schema: Document, path: str, *, whole: bool = False) -> Iterator[Cause]:
    yield from _type_causes(schema, path)
    yield from _part_causes(schema, path)
    yield from _list_causes(schema, path)
    yield from rule_causes(schema, path, whole=whole)
    for junctor, index, part in _parts(schema):
        yield from _junctor_causes(part, schema, f"{path}.{junctor}{index}")
    for at, inside in _below(schema):
        yield from _causes(inside, f"{path}.{at}")
    yield from _default_causes(schema, path)


def _below(schema: Document) -> Iterator[tuple[str, Document]]:
    """The schemas of what is in the value, with their places."""
    for name, inside in (schema.get("properties") or {}).items():
        yield f"properties[{name}]", inside or {}
    for name in ("items", "additionalProperties"):
        if isinstance(inside := schema.get(name), dict):
            yield name, inside


def _parts(schema: Document) -> Iterator[tuple[str, str, Document]]:
    for junctor in _JUNCTORS:
        for index, part in enumerate(schema.get(junctor) or ()):
            yield junctor, f"[{index}]", part or {}
    if isinstance(refused := schema.get("not"), dict):
        yield "not", "", refused


def _type_causes(schema: Document, path: str) -> Iterator[Cause]:
    kind = schema.get("type") or ""
    if schema.get(_INT_OR_STRING):
        if kind:
            told = f"is left out together with {_INT_OR_STRING}"
            yield Cause(FORBIDDEN, told, f"{path}.type")
    elif not kind and not schema.get(_PRESERVE):
        yield Cause(REQUIRED, "must be given for every value; example: string", f"{path}.type")
    elif kind and kind not in _TYPES:
        told = f"{kind!r} is none of {', '.join(_TYPES)}"
        yield Cause(NOT_SUPPORTED, told, f"{path}.type")


def _part_causes(schema: Document, path: str) -> Iterator[Cause]:
    for name in _NEVER:
        if schema.get(name):
            yield Cause(FORBIDDEN, "is not supported in a structural schema", f"{path}.{name}")
    if schema.get("uniqueItems"):
        told = f"is not supported; use {_LIST_TYPE}: set"
        yield Cause(FORBIDDEN, told, f"{path}.uniqueItems")
    if schema.get("properties") and schema.get("additionalProperties") is not None:
        told = "excludes properties; give one of the two"
        yield Cause(FORBIDDEN, told, f"{path}.additionalProperties")
    elif schema.get("additionalProperties") is False:
        told = "may not be false; fields that are not named are dropped anyway"
        yield Cause(FORBIDDEN, told, f"{path}.additionalProperties")
    if schema.get("type") == "array" and not isinstance(schema.get("items"), dict):
        yield Cause(REQUIRED, "a list says what it holds", f"{path}.items")
    yield from _pattern_causes(schema, path)


def _pattern_causes(schema: Document, path: str) -> Iterator[Cause]:
    if text := schema.get("pattern"):
        try:
            pattern(text)
        except PatternError as error:
            yield Cause(INVALID, str(error), f"{path}.pattern")


def _list_causes(schema: Document, path: str) -> Iterator[Cause]:
    kind = schema.get(_LIST_TYPE)
    if kind is None:
        return
    if kind not in ("atomic", "set", "map"):
        yield Cause(NOT_SUPPORTED, f"{kind!r} is none of atomic, set, map", f"{path}.{_LIST_TYPE}")
    if schema.get("type") != "array":
        yield Cause(INVALID, "is for lists; give type: array", f"{path}.type")
    if kind == "map":
        yield from _key_causes(schema, path)


def _key_causes(schema: Document, path: str) -> Iterator[Cause]:
    keys = schema.get(_LIST_KEYS) or ()
    if not keys:
        yield Cause(REQUIRED, "must name what tells the items apart", f"{path}.{_LIST_KEYS}")
    items = schema.get("items") or {}
    named, required = items.get("properties") or {}, items.get("required") or ()
    for index, key in enumerate(keys):
        if key not in named:
            told = f"{key!r} is no property of the items"
            yield Cause(INVALID, told, f"{path}.{_LIST_KEYS}[{index}]")
        elif key not in required and "default" not in named[key]:
            told = "a key of a list must be required or have a default"
            yield Cause(REQUIRED, told, f"{path}.items.properties[{key}].default")


def _junctor_causes(part: Document, outside: Document, path: str) -> Iterator[Cause]:
    """A junctor only narrows: what it speaks of has a type and a place outside it."""
    for name in _NOT_IN_JUNCTORS:
        allowed = outside.get(_INT_OR_STRING) and name == "type"
        if part.get(name) is not None and not allowed:
            yield Cause(FORBIDDEN, "stands outside of junctors", f"{path}.{name}")
    for junctor, index, inside in _parts(part):
        yield from _junctor_causes(inside, outside, f"{path}.{junctor}{index}")
    known = dict(_below(outside))
    for at, inside in _below(part):
        if at not in known and not _takes_any(outside, at):
            told = "is spoken of here and must also be given outside of junctors"
            yield Cause(REQUIRED, told, _outside_of(path, at))
        else:
            yield from _junctor_causes(inside, known.get(at, {}), f"{path}.{at}")
    yield from _pattern_causes(part, path)


def _takes_any(schema: Document, at: str) -> bool:
    return at.startswith("properties[") and "additionalProperties" in schema


def _outside_of(path: str, at: str) -> str:
    for junctor in (*_JUNCTORS, "not"):
        path = path.partition(f".{junctor}[")[0] if junctor != "not" else path.partition(".not")[0]
    return f"{path}.{at}"


def _default_causes(schema: Document, path: str) -> Iterator[Cause]:
    """A default fits its schema, and nothing of it would be dropped."""
    if "default" not in schema or (schema["default"] is None and schema.get("nullable")):
        return
    at, causes, unknown = f"{path}.default", list[Cause](), list[str]()
    holder = {"value": copy.deepcopy(schema["default"])}
    pruner(schema)(holder["value"], at, unknown)
    yield from (Cause(INVALID, "is not in the schema", field) for field in unknown)
    if (complete := completer({"properties": {"value": schema}})) is not None:
        complete(holder)
    with contextlib.suppress(PatternError):  # told already, at the pattern
        checker(schema)(holder.get("value"), at, causes)
    yield from causes

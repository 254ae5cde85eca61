"""Structural schemas made from the structs of our kinds: types, defaults and what each field is.

What a field is stands in the line below it, where whoever changes the field sees it. That line is
read from the source, so this is for servers and printers, not for every command.
"""

import ast
import functools
import inspect
import itertools
import sys
import types
import typing
from enum import StrEnum
from typing import Any, Final

import msgspec

from shoal.api.meta import Object

Schema = dict[str, Any]

_SCALARS: Final[dict[object, str]] = {
    bool: "boolean",
    float: "number",
    int: "integer",
    str: "string",
}
_INT_OR_TEXT: Final = frozenset({int, str})
_HEAD: Final = frozenset({"apiVersion", "kind", "metadata"})


def schema_of(kind: type[Object]) -> Schema:
    """The schema of a kind's objects; their metadata is left to the server."""
    schema = _struct(kind, defaults=True)
    schema["properties"] = {k: v for k, v in schema["properties"].items() if k not in _HEAD}
    return schema


def _struct(struct: type[msgspec.Struct], *, defaults: bool) -> Schema:
    told = descriptions(struct)
    fields = msgspec.structs.fields(struct)
    schema: Schema = {"type": "object", "description": _first_sentence(struct.__doc__ or "")}
    schema["properties"] = {
        field.encode_name: _field(field, told.get(field.name, ""), defaults=defaults)
        for field in fields
    }
    if required := [field.encode_name for field in fields if field.required]:
        schema["required"] = required
    return schema


def _field(field: msgspec.structs.FieldInfo, told: str, *, defaults: bool) -> Schema:
    """A default that says nothing is not told, and a status has none: it is written as it is."""
    kept = defaults and field.encode_name != "status"
    schema = _value(field.type, defaults=kept)
    if told:
        schema["description"] = told
    if kept and isinstance(field.default, int | str) and field.default:
        schema["default"] = field.default
    return schema


def _value(hint: Any, *, defaults: bool) -> Schema:  # noqa: ANN401
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"type": "string", "enum": [member.value for member in hint]}
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _struct(hint, defaults=defaults)
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is list:
        return {"type": "array", "items": _value(arguments[0], defaults=defaults)}
    if typing.get_origin(hint) is dict:
        return {"type": "object", "additionalProperties": _value(arguments[1], defaults=defaults)}
    assert typing.get_origin(hint) in (types.UnionType, typing.Union)
    return _union(frozenset(arguments), defaults=defaults)


def _union(arguments: frozenset[Any], *, defaults: bool) -> Schema:
    given = arguments - {type(None)}
    if len(given) == 1:
        return {**_value(next(iter(given)), defaults=defaults), "nullable": True}
    if given == _INT_OR_TEXT:
        return {"x-kubernetes-int-or-string": True}
    return {"x-kubernetes-preserve-unknown-fields": True}


def descriptions(struct: type[msgspec.Struct]) -> dict[str, str]:
    """What each field of a struct is: the text below it in the source."""
    found: dict[str, str] = {}
    for base in reversed(struct.__mro__):
        if base.__module__.startswith("shoal."):
            found |= _module(base.__module__).get(base.__name__, {})
    return found


@functools.cache
def _module(name: str) -> dict[str, dict[str, str]]:
    """The texts of a module's fields by class, read in one go."""
    body = ast.parse(inspect.getsource(sys.modules[name])).body
    return {node.name: _texts(node.body) for node in body if isinstance(node, ast.ClassDef)}


def _texts(body: list[ast.stmt]) -> dict[str, str]:
    found: dict[str, str] = {}
    for field, below in itertools.pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(ast.Constant(str(text))):
                found[name] = text
    return found


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).partition(". ")[0].rstrip(".") + "."

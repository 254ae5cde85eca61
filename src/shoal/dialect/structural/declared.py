"""The types that a schema declares for expressions over its values."""

from typing import Final

from shoal.dialect.cel.types import ANY, BOOL, INT, STRING, Type, list_of
from shoal.dialect.document import Document

_FORMATS: Final = {
    "byte": ANY,
    "date": Type("timestamp"),
    "date-time": Type("timestamp"),
    "duration": Type("duration"),
}
_SCALARS: Final = {"boolean": BOOL, "integer": INT, "number": Type("double")}
_HEAD: Final = {
    "apiVersion": STRING,
    "kind": STRING,
    "metadata": Type("map", fields={"generateName": STRING, "name": STRING}),
}
"""What rules see of whole objects beside what their schema names."""


def declared(schema: Document, *, whole: bool = False) -> Type:
    """The type of a schema's values, as far as it is certain; ``whole``: of objects with names."""
    if schema.get("x-kubernetes-int-or-string"):
        return ANY
    match schema.get("type"):
        case "string":
            return _FORMATS.get(schema.get("format") or "", STRING)
        case "array":
            items = schema.get("items")
            return list_of(declared(items) if isinstance(items, dict) else ANY)
        case "object":
            return _object(schema, whole=whole)
    return _SCALARS.get(schema.get("type") or "", ANY)


def _object(schema: Document, *, whole: bool) -> Type:
    further = schema.get("additionalProperties")
    if isinstance(further, dict):
        return Type("map", declared(further))
    if further or schema.get("x-kubernetes-preserve-unknown-fields"):
        return Type("map")
    fields = {
        name: declared(inside or {}) for name, inside in (schema.get("properties") or {}).items()
    }
    if whole or schema.get("x-kubernetes-embedded-resource"):
        fields |= _HEAD
    return Type("map", fields=fields)

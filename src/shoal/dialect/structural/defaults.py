"""Defaults: what stands where nothing was given, and nulls where none may be."""

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from shoal.dialect.document import Document, Json

Complete = Callable[[Json], None]

_NOTHING: Final = object()


class _Place(msgspec.Struct, frozen=True):
    """What a schema says of the value in one place."""

    nullable: bool
    default: Any
    complete: Complete | None

    def settle(self, holder: Json, key: Json) -> None:
        """Complete a value in its object or list; a null goes where it may not stay."""
        value = holder[key]
        if value is None and not self.nullable:
            if self.default is not _NOTHING:
                value = holder[key] = copy.deepcopy(self.default)
            elif isinstance(holder, dict):
                del holder[key]
                return
        if self.complete is not None and value is not None:
            self.complete(value)


def completer(schema: Document) -> Complete | None:
    """Fills the defaults of a schema in place; None where it has nothing to fill."""
    named = {name: _place(inside) for name, inside in (schema.get("properties") or {}).items()}
    further = _inside(schema.get("additionalProperties"))
    items = _inside(schema.get("items"))
    if named or further is not None:
        return lambda value: _complete_object(value, named, further)
    if items is not None:
        return lambda value: _complete_list(value, items)
    return None


def _place(schema: Document) -> _Place:
    default = schema.get("default", _NOTHING)
    return _Place(bool(schema.get("nullable")), default, completer(schema))


def _inside(schema: Json) -> _Place | None:
    return _place(schema) if isinstance(schema, dict) else None


def _complete_object(value: Json, named: Mapping[str, _Place], further: _Place | None) -> None:
    if not isinstance(value, dict):
        return
    for name, place in named.items():
        if name in value:
            place.settle(value, name)
        elif place.default is not _NOTHING:
            value[name] = copy.deepcopy(place.default)
            place.settle(value, name)
    if further is not None:
        for name in [name for name in value if name not in named]:
            further.settle(value, name)


def _complete_list(value: Json, items: _Place) -> None:
    if isinstance(value, list):
        for index in range(len(value)):
            items.settle(value, index)

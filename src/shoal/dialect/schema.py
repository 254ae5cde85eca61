"""Kubernetes' own kinds as data: the fields of their types, and what is served of each.

``schema.json`` and ``protobuf.json`` beside this file are made by ``tools/schema_table.py``. They
are read once, when somebody first asks; a process that serves nothing never does.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from shoal.dialect.table import Column


class Field(msgspec.Struct, frozen=True):
    """One field of a type.

    ``type`` is a scalar (``text``, ``whole`` of 64 bits, ``whole32``, ``flag``, ``number``,
    ``time``, ``microtime``, ``amount``, ``whole or text``, ``bytes``, ``object`` for an object of
    any fields, ``any``) or the name of a type in ``types()``; ``[]`` stands before what a list
    holds, ``{}`` before what a map holds.
    """

    type: str
    list_type: str = ""
    """``atomic``, ``set`` or ``map``: how owners share the list."""
    list_keys: tuple[str, ...] = ()
    """What tells the items of a list of type ``map`` apart."""
    map_type: str = ""
    merge_key: str = ""
    """What items are matched by in a strategic merge patch."""
    merge_strategy: str = ""
    """``merge``, ``retainKeys``, both with a comma, or ``replace``; empty where it replaces."""
    enum: tuple[str, ...] = ()
    zero: bool = False
    """Whether the published schema gives the empty value of the type as the default."""
    default: Any = None
    """What the server writes where the field is not given, or is an empty text; None: nothing."""
    null: bool = False
    """Whether the field is written as null where it is not given."""


class Type(msgspec.Struct, frozen=True):
    """A structured type: its fields by their names in JSON."""

    fields: Mapping[str, Field]
    required: tuple[str, ...] = ()


class Subresource(msgspec.Struct, frozen=True):
    """A served subresource. ``group`` and ``version`` are told where its kind has others."""

    name: str
    kind: str
    verbs: tuple[str, ...]
    group: str = ""
    version: str = ""


class KindFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A served resource. ``group`` is empty for the core group."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    namespaced: bool
    verbs: tuple[str, ...]
    type: str
    """The name of its type in ``types()``."""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[Subresource, ...] = ()
    columns: tuple[Column, ...] = ()
    selectable: Mapping[str, str] = {}
    """What field selectors may name besides name and namespace, with the path of each."""
    immutable: Mapping[str, str] = {}
    """Paths of what never changes, with the reason of the cause that a change is refused for."""
    traits: frozenset[str] = frozenset()
    """Habits that the server's ``Resource`` has switches for."""


class _TypeRow(msgspec.Struct):
    fields: dict[str, str | Field]
    """A field of which there is no more to say is its type alone."""
    required: tuple[str, ...] = ()


class _Tables(msgspec.Struct):
    types: dict[str, _TypeRow]
    kinds: list[KindFacts]


class _Wire(msgspec.Struct):
    messages: dict[str, dict[int, tuple[str, str]]]


@functools.cache
def types() -> Mapping[str, Type]:
    """Every type that a served kind reaches, by short name: ``core.v1.Container``."""
    return {
        name: Type(
            {
                key: Field(field) if isinstance(field, str) else field
                for key, field in row.fields.items()
            },
            row.required,
        )
        for name, row in _tables().types.items()
    }


@functools.cache
def kinds() -> Mapping[tuple[str, str, str], KindFacts]:
    """The served resources by group, version and plural."""
    return {(kind.group, kind.version, kind.plural): kind for kind in _tables().kinds}


@functools.cache
def protobuf_messages() -> Mapping[str, Mapping[int, tuple[str, str]]]:
    """Messages by short name: field number to JSON name and type, in the notation of ``Field``.

    The scalars are those of protobuf. An empty name: the fields of that message are in JSON fields
    of the message that holds it.
    """
    return msgspec.json.decode(_read("protobuf.json"), type=_Wire).messages


def type_name(group: str, version: str, kind: str) -> str:
    """The short name of a kind's type; for a group of somebody else a name that no type has."""
    ours = group.endswith(".k8s.io") or "." not in group
    short = group.partition(".")[0] or "core"
    return f"{short if ours else group}.{version}.{kind}"


@functools.cache
def _tables() -> _Tables:
    return msgspec.json.decode(_read("schema.json"), type=_Tables)


def _read(name: str) -> bytes:
    return Path(__file__).with_name(name).read_bytes()

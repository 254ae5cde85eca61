"""Objects of Kubernetes' own kinds, brought into the form that is stored, in one pass.

The pass finds fields that the type has not got and values that no reader could make sense of. It
fills the defaults of the schema table, takes away what says nothing (nulls, empty lists and maps),
and writes quantities and times in their one way. A type is compiled when it is first met; after
that a field costs one look-up.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Final

from shoal.dialect.document import Document, Json
from shoal.dialect.scalars import EMPTY, SCALARS, Misfit
from shoal.dialect.schema import Field, types

Fit = Callable[[Json, list[str]], Json]
"""A value in its stored form, None where nothing is stored. It may be changed in place.

Appends the paths of unknown fields, from the value down: ``.name``, ``[0].name``. Raises Misfit.
"""

_PLAIN: Final[Mapping[str, type]] = {"text": str, "flag": bool}
"""Scalars that are in order as soon as Python's type is."""


def conform(name: str, document: Document) -> list[str]:
    """Bring an object into the form of its type, in place; the paths of what it should not have.

    ``name`` is that of a type in ``schema.types()``. Unknown fields are dropped. Raises Misfit for
    the first value of a wrong type. A second pass finds and changes nothing.
    """
    unknown: list[str] = []
    try:
        _struct(name)(document, unknown)
    except RecursionError:
        raise Misfit("is nested too deeply") from None
    return [path.removeprefix(".") for path in unknown]


@functools.cache
def _struct(name: str) -> Fit:
    type_ = types()[name]
    fields = type_.fields
    plain = {key: _PLAIN[field.type] for key, field in fields.items() if field.type in _PLAIN}
    others = _Fits(fields, frozenset(type_.required))
    defaults = [(k, d) for k, d in ((k, _default(f)) for k, f in fields.items()) if d is not None]
    nulls = [key for key, field in fields.items() if field.null]

    def fit(value: Json, unknown: list[str]) -> Json:
        if type(value) is not dict:
            raise Misfit("takes an object", value)
        for key, default in defaults:
            given = value.get(key)
            if given is None or (given == "" and default):
                value[key] = {} if default == {} else default
        _fit_fields(value, plain, others, unknown)
        for key in nulls:
            value.setdefault(key, None)
        return value

    return fit


def _default(field: Field) -> Json:
    """What is written where a field is not given; None for nothing.

    A field whose empty value is published as its default is written out even then.
    """
    if field.default is not None or not field.zero:
        return field.default
    return EMPTY.get(field.type, {})


def _fit_fields(
    value: Document, plain: Mapping[str, type], others: "_Fits", unknown: list[str]
) -> None:
    gone: list[str] = []
    key, before = "", len(unknown)
    try:
        for key, inside in value.items():
            if plain.get(key) is type(inside):
                continue
            fit = others[key]
            if fit is None:
                unknown.append(f".{key}")
                before += 1
                gone.append(key)
            elif inside is None or (fitted := fit(inside, unknown)) is None:
                gone.append(key)
            elif fitted is not inside:
                value[key] = fitted
            if len(unknown) > before:
                before = _tell_below(f".{key}", unknown, before)
    except Misfit as misfit:
        raise misfit.below(f".{key}") from None
    for key in gone:
        del value[key]


def _tell_below(step: str, unknown: list[str], before: int) -> int:
    """Tell what was found a step below from up here; how much has been told in all."""
    unknown[before:] = [step + path for path in unknown[before:]]
    return len(unknown)


class _Fits(dict[str, Fit | None]):
    """How the fields of a type are fitted; None for a field that it has not got.

    Each is made when it is first asked for, since types may hold themselves.
    """

    def __init__(self, fields: Mapping[str, Field], required: frozenset[str]) -> None:
        super().__init__()
        self._fields: Final = fields
        self._required: Final = required

    def __missing__(self, name: str) -> Fit | None:
        field = self._fields.get(name)
        if field is None:
            return None
        self[name] = fit = _of(field.type, keeps_empty=name in self._required)
        return fit


def _of(kind: str, *, keeps_empty: bool = True) -> Fit:
    if kind.startswith("[]"):
        return _list(kind[2:], keeps_empty=keeps_empty)
    if kind.startswith("{}"):
        return _map(kind[2:], keeps_empty=keeps_empty)
    if kind in SCALARS:
        take = SCALARS[kind]
        return lambda value, unknown: take(value)
    return _struct(kind)


def _list(kind: str, *, keeps_empty: bool) -> Fit:
    fit, plain, zero = _of(kind), _PLAIN.get(kind), _zero(kind)

    def fit_list(value: Json, unknown: list[str]) -> Json:
        if type(value) is not list:
            raise Misfit("takes a list", value)
        index, before = 0, len(unknown)
        try:
            for index, item in enumerate(value):
                if item is None:
                    value[index] = zero()
                elif type(item) is not plain:
                    value[index] = fit(item, unknown)
                    if len(unknown) > before:
                        before = _tell_below(f"[{index}]", unknown, before)
        except Misfit as misfit:
            raise misfit.below(f"[{index}]") from None
        return value if value or keeps_empty else None

    return fit_list


def _map(kind: str, *, keeps_empty: bool) -> Fit:
    fit, plain, zero = _of(kind), _PLAIN.get(kind), _zero(kind)

    def fit_map(value: Json, unknown: list[str]) -> Json:
        if type(value) is not dict:
            raise Misfit("takes an object", value)
        key, before = "", len(unknown)
        try:
            for key, item in value.items():
                if item is None:
                    value[key] = zero()
                elif type(item) is not plain:
                    value[key] = fit(item, unknown)
                    if len(unknown) > before:
                        before = _tell_below(f".{key}", unknown, before)
        except Misfit as misfit:
            raise misfit.below(f".{key}") from None
        return value if value or keeps_empty else None

    return fit_map


def _zero(kind: str) -> Callable[[], Json]:
    """What a null stands for where a null cannot be left out."""
    if kind in EMPTY or kind in SCALARS:
        return lambda: EMPTY.get(kind)
    if kind.startswith("[]"):
        return list
    fit = _of(kind)
    return lambda: fit({}, [])

"""Strategic merge patch: a merge patch in which some lists merge by a key.

Which lists those are, and by what, is in the schema table. Directives: ``$patch`` (replace, delete,
merge), ``$retainKeys``, ``$setElementOrder/<list>`` and ``$deleteFromPrimitiveList/<list>``.
Source:
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shoal.dialect.document import Document, Json
from shoal.dialect.ordering import ordered
from shoal.dialect.schema import Field, types

_PATCH: Final = "$patch"
_RETAIN: Final = "$retainKeys"
_ORDER: Final = "$setElementOrder/"
_DELETE: Final = "$deleteFromPrimitiveList/"
_UNTYPED: Final = Field("any")


class PatchError(ValueError):
    """A patch that makes no sense: one sentence."""


class UnknownDirective(PatchError):
    """A ``$patch`` that is none of those there are."""


def strategic_patch(document: Mapping[str, Any], patch: Mapping[str, Any], name: str) -> Document:
    """The document after the patch; neither argument is changed. Raises PatchError.

    ``name`` is that of the document's type in ``schema.types()``.
    """
    return _merge_map(document, patch, name)


def _merge_map(target: Mapping[str, Any], patch: Mapping[str, Any], kind: str) -> Document:
    """``kind`` is the type of the map as the table writes it: a type's name, or ``{}`` and more."""
    directive = patch.get(_PATCH, "merge")
    if directive == "delete":
        return {}
    if directive == "replace":
        target = {}
    elif directive != "merge":
        raise UnknownDirective(f"$patch is {directive!r}; it must be replace, delete or merge")
    merged = _retained(target, patch)
    for key, value in patch.items():
        if not key.startswith("$"):
            _merge_field(merged, key, value, _field(kind, key))
    _apply_list_directives(merged, target, patch, kind)
    return merged


def _field(kind: str, key: str) -> Field:
    if kind.startswith("{}"):
        return Field(kind[2:])
    type_ = types().get(kind)
    return _UNTYPED if type_ is None else type_.fields.get(key, _UNTYPED)


def _retained(target: Mapping[str, Any], patch: Mapping[str, Any]) -> Document:
    keep = patch.get(_RETAIN)
    if keep is None:
        return dict(target)
    if not isinstance(keep, list):
        raise PatchError(f"{_RETAIN} is not a list of field names")
    _check_plain(keep)
    names = set(keep)
    return {key: value for key, value in target.items() if key in names}


def _merge_field(merged: Document, key: str, value: Json, field: Field) -> None:
    before = merged.get(key)
    if value is None:
        merged.pop(key, None)
    elif isinstance(value, dict):
        merged[key] = _merge_map(before if isinstance(before, dict) else {}, value, field.type)
    elif isinstance(value, list) and "merge" in field.merge_strategy:
        merged[key] = _merge_list(before if isinstance(before, list) else [], value, field)
    else:
        merged[key] = value


def _merge_list(target: Sequence[Json], patch: Sequence[Json], field: Field) -> list[Json]:
    """The merged list: those of the patch in its order, among the others in theirs."""
    key = field.merge_key
    if not key:
        _check_plain(patch)
        return ordered(list(dict.fromkeys([*target, *patch])), patch, target)
    plain = [item for item in patch if _directive(item) is None]
    if any(_directive(item) == "replace" for item in patch):
        return [_merge_map({}, item, field.type[2:]) for item in plain]
    deleted = {_identity(item, key) for item in patch if _directive(item) == "delete"}
    kept = [item for item in target if _key_of(item, key) not in deleted]
    return ordered(_merged_items(kept, plain, field), plain, target, key)


def _merged_items(target: Sequence[Json], patch: Sequence[Json], field: Field) -> list[Json]:
    merged = list(target)
    places = {_key_of(item, field.merge_key): place for place, item in enumerate(target)}
    for item in patch:
        identity = _identity(item, field.merge_key)
        place = places.setdefault(identity, len(merged))
        if place == len(merged):
            merged.append({})
        merged[place] = _merge_map(merged[place], item, field.type[2:])
    return merged


def _apply_list_directives(
    merged: Document, target: Mapping[str, Any], patch: Mapping[str, Any], kind: str
) -> None:
    for directive, value in patch.items():
        if not directive.startswith((_DELETE, _ORDER)):
            continue
        if not isinstance(value, list):
            raise PatchError(f"{directive} is not a list")
        name = directive.partition("/")[2]
        items = merged.get(name)
        if isinstance(items, list) and directive.startswith(_DELETE):
            _check_plain(value)
            merged[name] = _without(items, set(value))
    for directive, order in patch.items():
        if directive.startswith(_ORDER):
            name = directive.removeprefix(_ORDER)
            items, field = merged.get(name), _field(kind, name)
            if isinstance(items, list) and "merge" in field.merge_strategy:
                merged[name] = _in_order(items, order, target.get(name), field.merge_key)


def _without(items: Sequence[Json], gone: set[Json]) -> list[Json]:
    return [item for item in items if isinstance(item, dict | list) or item not in gone]


def _in_order(items: Sequence[Json], order: Sequence[Json], live: Json, key: str) -> list[Json]:
    if key:
        for item in order:
            _identity(item, key)
    else:
        _check_plain(order)
    return ordered(items, order, live if isinstance(live, list) else [], key)


def _directive(item: Json) -> str | None:
    """What an item of a patched list says it is; None where it is an ordinary one."""
    if not isinstance(item, dict):
        raise PatchError("an item of a merging list is not an object")
    directive = item.get(_PATCH)
    if directive in (None, "delete", "replace"):
        return directive
    raise UnknownDirective(f"$patch is {directive!r}; in a list it must be replace or delete")


def _identity(item: Json, key: str) -> Json:
    value = _key_of(item, key)
    if isinstance(value, str | int):
        return value
    raise PatchError(f"an item of a merging list carries no {key!r}, its merge key")


def _key_of(item: Json, key: str) -> Json:
    return item.get(key) if isinstance(item, dict) else None


def _check_plain(items: Sequence[Json]) -> None:
    if any(isinstance(item, dict | list) for item in items):
        raise PatchError("a list of plain values holds something else")

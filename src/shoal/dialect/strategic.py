"""Strategic merge patch: a merge patch in which some lists merge by a key.

Directives: ``$patch`` (replace, delete, merge), ``$retainKeys``, ``$setElementOrder/<list>`` and
``$deleteFromPrimitiveList/<list>``. Source:
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shoal.dialect.document import Document, Json
from shoal.dialect.mergekeys import TYPES, Field, MergeList

_PATCH: Final = "$patch"
_RETAIN: Final = "$retainKeys"
_ORDER: Final = "$setElementOrder/"
_DELETE: Final = "$deleteFromPrimitiveList/"
_NOTHING: Final[Mapping[str, Field]] = {}


class PatchError(ValueError):
    """A patch that makes no sense: one sentence."""


def strategic_patch(document: Mapping[str, Any], patch: Mapping[str, Any], kind: str) -> Document:
    """The document after the patch; neither argument is changed. Raises PatchError."""
    return _merge_map(document, patch, kind)


def _merge_map(target: Mapping[str, Any], patch: Mapping[str, Any], kind: str) -> dict[str, Any]:
    directive = patch.get(_PATCH, "merge")
    if directive == "delete":
        return {}
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != _PATCH}
    if directive != "merge":
        raise PatchError(f"$patch is {directive!r}; it must be replace, delete or merge")
    merged = _retained(target, patch)
    fields = TYPES.get(kind, _NOTHING)
    for key, value in patch.items():
        if not key.startswith("$"):
            _merge_field(merged, key, value, fields.get(key, ""), patch)
    _apply_list_directives(merged, patch, fields)
    return merged


def _retained(target: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    keep = patch.get(_RETAIN)
    return dict(target) if keep is None else {k: v for k, v in target.items() if k in keep}


def _merge_field(
    merged: dict[str, Any], key: str, value: Json, field: Field, patch: Mapping[str, Any]
) -> None:
    if value is None:
        merged.pop(key, None)
    elif isinstance(value, Mapping):
        before = merged.get(key)
        nested = field if isinstance(field, str) else ""
        merged[key] = _merge_map(before if isinstance(before, Mapping) else {}, value, nested)
    elif isinstance(value, Sequence) and isinstance(field, MergeList):
        merged[key] = _merge_list(merged.get(key) or [], value, field)
    else:
        merged[key] = value


def _merge_list(target: Sequence[Any], patch: Sequence[Any], field: MergeList) -> list[Any]:
    if not field.key:
        return [*(value for value in dict.fromkeys(patch) if value not in target), *target]
    if any(_key_of(item, _PATCH) == "replace" for item in patch):
        return [item for item in patch if _key_of(item, _PATCH) != "replace"]
    merged = list(target)
    for item in patch:
        _merge_item(merged, item, field)
    return merged


def _merge_item(merged: list[Any], item: Json, field: MergeList) -> None:
    value = _key_of(item, field.key)
    if value is None:
        raise PatchError(f"an item of a merging list carries no {field.key!r}, its merge key")
    place = _place(merged, field.key, value)
    if item.get(_PATCH) == "delete":
        merged[:] = [other for other in merged if _key_of(other, field.key) != value]
    elif place is None:
        merged.append(_merge_map({}, item, field.item))
    else:
        merged[place] = _merge_map(merged[place], item, field.item)


def _apply_list_directives(
    merged: dict[str, Any], patch: Mapping[str, Any], fields: Mapping[str, Field]
) -> None:
    for directive, value in patch.items():
        if directive.startswith(_DELETE):
            name = directive.removeprefix(_DELETE)
            if isinstance(merged.get(name), list):
                merged[name] = [item for item in merged[name] if item not in value]
    for directive, order in patch.items():
        if directive.startswith(_ORDER):
            name = directive.removeprefix(_ORDER)
            field = fields.get(name)
            if isinstance(field, MergeList) and isinstance(merged.get(name), list):
                merged[name] = _ordered(merged[name], order, field.key)


def _ordered(items: Sequence[Any], order: Sequence[Any], key: str) -> list[Any]:
    """Items named in ``order`` in that order; the others stay before those they stood before.

    ``items`` holds the live ones in their live order, then the new ones.
    """
    rank = {_identity(item, key): place for place, item in enumerate(order)}
    named = [(place, item) for place, item in enumerate(items) if _identity(item, key) in rank]
    named.sort(key=lambda pair: rank[_identity(pair[1], key)])
    others = [(place, item) for place, item in enumerate(items) if _identity(item, key) not in rank]
    result: list[Any] = []
    for place, item in named:
        while others and others[0][0] < place:
            result.append(others.pop(0)[1])
        result.append(item)
    return result + [item for _, item in others]


def _identity(item: Json, key: str) -> Json:
    return _key_of(item, key) if key else item


def _key_of(item: Json, key: str) -> Json:
    return item.get(key) if isinstance(item, Mapping) else None


def _place(items: Sequence[Any], key: str, value: Json) -> int | None:
    return next((i for i, item in enumerate(items) if _key_of(item, key) == value), None)

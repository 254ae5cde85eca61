"""JSON patch (RFC 6902): a list of operations, all of which apply or none."""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from shoal.dialect.document import Json

_MISSING: Final = object()


class JsonPatchError(ValueError):
    """An operation that cannot be applied: one sentence."""


def json_patch(document: Json, operations: Sequence[Mapping[str, Json]]) -> Json:
    """The document after all operations; the argument is not changed. Raises JsonPatchError."""
    patched = copy.deepcopy(document)
    for operation in operations:
        apply = _OPERATIONS.get(str(operation.get("op")))
        if apply is None:
            raise JsonPatchError(f"{operation.get('op')!r} is no operation of a JSON patch")
        patched = apply(patched, operation)
    return patched


def _add(document: Json, operation: Mapping[str, Json]) -> Json:
    return _put(document, _path(operation, "path"), _value(operation))


def _remove(document: Json, operation: Mapping[str, Json]) -> Json:
    _take(document, _path(operation, "path"))
    return document


def _replace(document: Json, operation: Mapping[str, Json]) -> Json:
    path = _path(operation, "path")
    if path:
        _take(document, path)
    return _put(document, path, _value(operation))


def _move(document: Json, operation: Mapping[str, Json]) -> Json:
    value = _take(document, _path(operation, "from"))
    return _put(document, _path(operation, "path"), value)


def _copy(document: Json, operation: Mapping[str, Json]) -> Json:
    value = copy.deepcopy(_get(document, _path(operation, "from")))
    return _put(document, _path(operation, "path"), value)


def _test(document: Json, operation: Mapping[str, Json]) -> Json:
    path = _path(operation, "path")
    if _get(document, path) != _value(operation):
        raise JsonPatchError(f"the test of /{'/'.join(path)} failed")
    return document


_OPERATIONS: Final[Mapping[str, Callable[[Json, Mapping[str, Json]], Json]]] = {
    "add": _add,
    "copy": _copy,
    "move": _move,
    "remove": _remove,
    "replace": _replace,
    "test": _test,
}


def _path(operation: Mapping[str, Json], field: str) -> list[str]:
    """The steps of a JSON pointer (RFC 6901)."""
    text = operation.get(field)
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise JsonPatchError(f"{field} is {text!r}; example: /metadata/labels/app")
    return [step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:]]


def _value(operation: Mapping[str, Json]) -> Json:
    value = operation.get("value", _MISSING)
    if value is _MISSING:
        raise JsonPatchError(f"{operation['op']} needs a value")
    return copy.deepcopy(value)


def _get(document: Json, path: Sequence[str]) -> Json:
    for step in path:
        if isinstance(document, list):
            document = document[_index(step, len(document) - 1)]
        elif isinstance(document, dict) and step in document:
            document = document[step]
        else:
            raise _no_such(path)
    return document


def _put(document: Json, path: Sequence[str], value: Json) -> Json:
    if not path:
        return value
    parent, last = _get(document, path[:-1]), path[-1]
    if isinstance(parent, list):
        parent.insert(len(parent) if last == "-" else _index(last, len(parent)), value)
    elif isinstance(parent, dict):
        parent[last] = value
    else:
        raise _no_such(path)
    return document


def _take(document: Json, path: Sequence[str]) -> Json:
    if not path:
        raise JsonPatchError("the whole document cannot be removed")
    parent, last = _get(document, path[:-1]), path[-1]
    if isinstance(parent, list):
        return parent.pop(_index(last, len(parent) - 1))
    if isinstance(parent, dict) and last in parent:
        return parent.pop(last)
    raise _no_such(path)


def _index(step: str, most: int) -> int:
    plain = step.isascii() and step.isdigit() and (step == "0" or not step.startswith("0"))
    if not plain or len(step) > 9 or int(step) > most:
        raise JsonPatchError(f"{step!r} is no place in that list")
    return int(step)


def _no_such(path: Sequence[str]) -> JsonPatchError:
    return JsonPatchError(f"there is no /{'/'.join(path)}")

"""Unknown and mistyped fields of our kinds, told by name with what was probably meant."""

import difflib
import re
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from shoal.api.meta import Object
from shoal.dialect.document import Json
from shoal.dialect.status import INVALID, Cause

Tree = Mapping[str, "Tree | None"]
"""Known fields by wire name; None where anything may be inside."""

NOT_YET: Final = frozenset(
    {
        "spec.budget",
        "spec.data",
        "spec.deadline",
        "spec.framework",
        "spec.limits.budget",
        "spec.limits.idle",
        "spec.queueName",
        "spec.schedule",
    }
)
"""Fields that are planned: refused as such, not as typing errors."""


def tree_of(struct: type[msgspec.Struct]) -> Tree:
    """The fields of a struct and of the structs in it. Called once a kind, not per request."""
    return {field.encode_name: _inner(field.type) for field in msgspec.structs.fields(struct)}


def tree_of_kind(view: type[Object]) -> Tree:
    """The same for a whole object; metadata has rules of its own."""
    return {**tree_of(view), "metadata": None}


def unknown_causes(value: Json, tree: Tree, path: str) -> Iterator[Cause]:
    """A cause for each field that the struct has not got."""
    if not isinstance(value, dict):
        return
    for name, inside in value.items():
        at = f"{path}.{name}" if path else name
        if name not in tree:
            yield Cause(INVALID, _unknown(name, at, tree), at)
            continue
        branch = tree[name]
        if branch is None:
            continue
        items = enumerate(inside) if isinstance(inside, list) else [(None, inside)]
        for index, item in items:
            yield from unknown_causes(item, branch, at if index is None else f"{at}[{index}]")


_PLACE = re.compile(r"(.*?) - at `\$\.?(.*)`\Z", re.DOTALL)
_TYPES: Final = {
    "`int`": "a whole number",
    "`str`": "a text",
    "`bool`": "true or false",
    "`array`": "a list",
    "`object`": "an object",
    "`float`": "a number",
}


def type_cause(error: msgspec.ValidationError) -> Cause:
    """What a failed conversion says, in words and with its field."""
    match = _PLACE.match(str(error))
    told, path = match.groups() if match else (str(error), "")
    path = path.replace("[...]", "")
    for name, words in _TYPES.items():
        told = told.replace(name, words)
    return Cause(INVALID, told.replace("Expected", "takes").replace("`", ""), path)


def _unknown(name: str, at: str, tree: Tree) -> str:
    if at in NOT_YET:
        return "is not supported yet"
    close = difflib.get_close_matches(name, tree, n=1, cutoff=0.6)
    meant = f"; did you mean {close[0]}?" if close else f"; it takes {', '.join(sorted(tree))}"
    return f"is not a field{meant}"


def _inner(hint: Json) -> Tree | None:
    """The tree of the struct that a type hint holds, itself or in a list or union."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return tree_of(hint)
    if _is_container(hint):
        found = (_inner(argument) for argument in typing.get_args(hint))
        return next((tree for tree in found if tree is not None), None)
    return None


def _is_container(hint: Json) -> bool:
    origin: Json = typing.get_origin(hint)
    return origin in (list, tuple, types.UnionType, typing.Union)

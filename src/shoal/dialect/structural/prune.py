"""Pruning: a field that no schema names is not stored."""

from collections.abc import Callable, Mapping
from typing import Final

from shoal.dialect import schema as builtin
from shoal.dialect.document import Document, Json

Prune = Callable[[Json, str, list[str]], None]
"""Drop unknown fields of the value at a path in place, and add their paths to the list."""

_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"


def object_pruner(schema: Document) -> Prune:
    """The pruner of whole objects: their type and metadata are known without being named."""
    return pruner({**schema, _EMBEDDED: True})


def pruner(schema: Document) -> Prune:
    """The pruner of the values of a schema."""
    items = schema.get("items")
    if isinstance(items, dict):
        return _list_pruner(pruner(items))
    named = {name: pruner(inside) for name, inside in (schema.get("properties") or {}).items()}
    further = schema.get("additionalProperties")
    if isinstance(further, dict):
        return _map_pruner(pruner(further))
    if schema.get(_EMBEDDED):
        named |= {"apiVersion": _keep, "kind": _keep, "metadata": prune_metadata}
    if further is True or schema.get(_PRESERVE):
        return _object_pruner(named, keeps=True)
    if named or schema.get("type") == "object":
        return _object_pruner(named, keeps=False)
    return _keep


def prune_metadata(value: Json, path: str, unknown: list[str]) -> None:
    """Drop what no object's metadata has."""
    types = builtin.types()
    _drop(value, path, unknown, types["meta.v1.ObjectMeta"].fields)
    if not isinstance(value, dict):
        return
    owners = value.get("ownerReferences")
    for index, owner in enumerate(owners if isinstance(owners, list) else ()):
        at = f"{path}.ownerReferences[{index}]"
        _drop(owner, at, unknown, types["meta.v1.OwnerReference"].fields)


def _keep(value: Json, path: str, unknown: list[str]) -> None:
    """There is nothing inside to look at."""


def _object_pruner(named: Mapping[str, Prune], *, keeps: bool) -> Prune:
    def prune(value: Json, path: str, unknown: list[str]) -> None:
        if not isinstance(value, dict):
            return
        if not keeps:
            _drop(value, path, unknown, named)
        for name, inside in value.items():
            if (prune_field := named.get(name)) is not None:
                prune_field(inside, f"{path}.{name}" if path else name, unknown)

    return prune


def _map_pruner(inner: Prune) -> Prune:
    def prune(value: Json, path: str, unknown: list[str]) -> None:
        if isinstance(value, dict):
            for name, inside in value.items():
                inner(inside, f"{path}.{name}" if path else name, unknown)

    return prune


def _list_pruner(inner: Prune) -> Prune:
    def prune(value: Json, path: str, unknown: list[str]) -> None:
        if isinstance(value, list):
            for index, item in enumerate(value):
                inner(item, f"{path}[{index}]", unknown)

    return prune


def _drop(value: Json, path: str, unknown: list[str], known: Mapping[str, object]) -> None:
    if isinstance(value, dict):
        for name in [name for name in value if name not in known]:
            del value[name]
            unknown.append(f"{path}.{name}" if path else name)

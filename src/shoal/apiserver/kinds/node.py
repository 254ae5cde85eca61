"""Rules of nodes. A new one is tainted; a controller takes the taint away once it is ready."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from shoal.apiserver.kinds.refuse import negative, not_supported, refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.names import wrong_label_value, wrong_qualified
from shoal.dialect.status import DUPLICATE, INVALID, REQUIRED, Cause

_NOT_READY: Final = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def admit_node(document: Document, world: World) -> list[str]:
    """A new node is not ready until its agent says so; all of it is allocatable."""
    spec = document["spec"]
    refuse("", "Node", document, _taint_causes(spec.get("taints") or ()))
    taints = spec.setdefault("taints", [])
    if all((t.get("key"), t.get("effect")) != tuple(_NOT_READY.values()) for t in taints):
        taints.append(dict(_NOT_READY))
    _complete_status(document)
    return []


def change_node(new: Document, old: Document) -> None:
    """A taint is told by its key and effect."""
    refuse("", "Node", new, _taint_causes(new["spec"].get("taints") or ()))


def change_node_status(new: Document, old: Document) -> None:
    """All of it is allocatable unless it says otherwise."""
    _complete_status(new)


def _complete_status(document: Document) -> None:
    status = document["status"]
    parts = ("capacity", "allocatable")
    causes = [cause for part in parts for cause in negative(status.get(part), f"status.{part}")]
    refuse("", "Node", document, causes)
    if capacity := status.get("capacity"):
        status.setdefault("allocatable", dict(capacity))


def _taint_causes(taints: Sequence[Document]) -> Iterator[Cause]:
    seen: set[tuple[Any, Any]] = set()
    for index, taint in enumerate(taints):
        at, key, effect = f"metadata.taints[{index}]", taint.get("key") or "", taint.get("effect")
        if wrong := wrong_qualified(key):
            yield Cause(INVALID, wrong, f"{at}.key")
        if wrong := wrong_label_value(taint.get("value") or ""):
            yield Cause(INVALID, wrong, f"{at}.value")
        if not effect:
            yield Cause(REQUIRED, f"one of {', '.join(_EFFECTS)}", f"{at}.effect")
        else:
            yield from not_supported(effect, _EFFECTS, f"{at}.effect")
        if (key, effect) in seen:
            yield Cause(DUPLICATE, f"{key}:{effect} is there already", at)
        seen.add((key, effect))

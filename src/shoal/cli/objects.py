"""Any object by its kind: the names that people use for kinds, and objects with every field."""

from typing import Any, Final

import msgspec

from shoal.api import kinds
from shoal.api.kinds import Kind
from shoal.cli.context import Here
from shoal.cli.errors import BadInput

KINDS: Final[tuple[Kind[Any], ...]] = (
    kinds.RUNS,
    kinds.GANGS,
    kinds.QUEUES,
    kinds.NODE_USES,
    kinds.PODS,
    kinds.NODES,
    kinds.NAMESPACES,
    kinds.EVENTS,
    kinds.SECRETS,
    kinds.CONFIG_MAPS,
    kinds.LEASES,
    kinds.PRIORITY_CLASSES,
    kinds.DEVICE_CLASSES,
    kinds.RESOURCE_SLICES,
    kinds.RESOURCE_CLAIMS,
    kinds.RESOURCE_CLAIM_TEMPLATES,
)
_ORDER: Final = ("apiVersion", "kind", "metadata", "spec", "status")
_SHORT: Final = {
    "po": "pods",
    "no": "nodes",
    "ns": "namespaces",
    "ev": "events",
    "cm": "configmaps",
    "pc": "priorityclasses",
}


def find_kind(text: str) -> Kind[Any]:
    """The kind that is meant by ``runs``, ``run``, ``Run``, ``run.shoal.dev`` or ``po``.

    Raises BadInput with the nearest kind.
    """
    word = text.lower().partition(".")[0]
    word = _SHORT.get(word, word)
    for kind in KINDS:
        if word in (kind.plural, kind.name.lower()):
            return kind
    import difflib

    plurals = [kind.plural for kind in KINDS]
    close = difflib.get_close_matches(word, plurals, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(plurals)}"
    raise BadInput(f"{text[:40]} is not a kind; {hint}")


def served_kind(name: str) -> Kind[Any]:
    """The kind that a file names. Raises BadInput with all that there are."""
    for kind in KINDS:
        if kind.name == name:
            return kind
    names = ", ".join(kind.name for kind in KINDS)
    raise BadInput(f"kind {name[:40]} is not served here; there are {names}")


def split_references(words: tuple[str, ...]) -> list[tuple[Kind[Any], str]]:
    """``run/a pod/b``, or kinds and names: ``run a b``, ``runs,pods``; no name means all."""
    first, *rest = words
    if "/" not in first:
        kinds = [find_kind(text) for text in first.split(",")]
        return [(kind, name) for kind in kinds for name in rest or [""]]
    pairs = [word.partition("/") for word in words]
    for kind_text, slash, name in pairs:
        if not slash or not name:
            raise BadInput(f"{kind_text} stands among KIND/NAME pairs; example: run/digits")
    return [(find_kind(kind_text), name) for kind_text, _, name in pairs]


def read_object(here: Here, kind: Kind[Any], name: str) -> dict[str, Any]:
    """One object with every field. Raises ApiError, and BadInput where there is none."""
    with here.expected(kind, name):
        body = here.client.request("GET", kind.path(scope(here, kind), name))
    return ordered(msgspec.json.decode(body, type=dict[str, Any]))


def ordered(document: dict[str, Any]) -> dict[str, Any]:
    """The same, as people read it: what it is, what is asked for, what became of it."""
    return {key: document[key] for key in _ORDER if key in document} | document


def read_items(here: Here, kind: Kind[Any], labels: str = "") -> list[dict[str, Any]]:
    """All objects of a kind with every field, each saying what it is. Raises ApiError."""
    query = {"labelSelector": labels} if labels else None
    body = here.client.request("GET", kind.path(scope(here, kind)), query=query)
    head = {"apiVersion": kind.api_version, "kind": kind.name}
    return [
        ordered(head | item) for item in msgspec.json.decode(body, type=dict[str, Any])["items"]
    ]


def scope(here: Here, kind: Kind[Any]) -> str:
    """The namespace to name in a path; empty for a kind that has none."""
    return here.namespace if kind.namespaced else ""


def full_name(kind: Kind[Any], name: str) -> str:
    """``run.shoal.dev/digits``, ``pod/digits-0``."""
    group = kind.api_version.rpartition("/")[0]
    return f"{kind.name.lower()}{'.' + group if group else ''}/{name}"

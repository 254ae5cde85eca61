"""Table rows of Kubernetes' own kinds, with the words that kubectl's users know."""

from collections.abc import Sequence
from typing import Any

from shoal.dialect.document import Document
from shoal.dialect.paths import dig
from shoal.dialect.table import NONE, UNKNOWN, age


def name_of(document: Document) -> str:
    """The object's name."""
    return str(document["metadata"]["name"])


def age_of(document: Document, now: int) -> str:
    """The object's age."""
    return age(document["metadata"].get("creationTimestamp"), now)


def name_and_age(document: Document, now: int) -> list[Any]:
    """Kinds with nothing more to tell."""
    return [name_of(document), age_of(document, now)]


def namespace(document: Document, now: int) -> list[Any]:
    """Name, Status, Age."""
    phase = dig(document, "status", "phase") or ""
    return [name_of(document), phase, age_of(document, now)]


def config_map(document: Document, now: int) -> list[Any]:
    """Name, Data, Age."""
    count = len(document.get("data") or {}) + len(document.get("binaryData") or {})
    return [name_of(document), count, age_of(document, now)]


def secret(document: Document, now: int) -> list[Any]:
    """Name, Type, Data, Age."""
    count = len(document.get("data") or {})
    return [name_of(document), document.get("type", ""), count, age_of(document, now)]


def lease(document: Document, now: int) -> list[Any]:
    """Name, Holder, Age."""
    holder = dig(document, "spec", "holderIdentity") or ""
    return [name_of(document), holder, age_of(document, now)]


def priority_class(document: Document, now: int) -> list[Any]:
    """Name, Value, Global-Default, Age, PreemptionPolicy."""
    return [
        name_of(document),
        document.get("value", 0),
        bool(document.get("globalDefault")),
        age_of(document, now),
        document.get("preemptionPolicy", ""),
    ]


def resource_claim(document: Document, now: int) -> list[Any]:
    """Name, State, Age."""
    states = [
        state
        for state, holds in (
            ("deleted", document["metadata"].get("deletionTimestamp")),
            ("allocated", dig(document, "status", "allocation")),
            ("reserved", dig(document, "status", "reservedFor")),
        )
        if holds
    ]
    if "allocated" not in states:
        states.append("pending")
    return [name_of(document), ",".join(states), age_of(document, now)]


def resource_slice(document: Document, now: int) -> list[Any]:
    """Name, Node, Driver, Pool, Age."""
    spec = document.get("spec") or {}
    pool = dig(spec, "pool", "name") or ""
    node = spec.get("nodeName") or ""
    return [name_of(document), node, spec.get("driver", ""), pool, age_of(document, now)]


def event(document: Document, now: int) -> list[Any]:
    """Last Seen, Type, Reason, Object, Subobject, Source, Message, First Seen, Count, Name."""
    about = document.get("involvedObject") or {}
    first = document.get("firstTimestamp") or document.get("eventTime")
    last = document.get("lastTimestamp") or first
    where = [dig(document, "source", "component"), dig(document, "source", "host")]
    target = "/".join(part for part in (about.get("kind", "").lower(), about.get("name")) if part)
    return [
        age(last, now),
        document.get("type", ""),
        document.get("reason", ""),
        target,
        about.get("fieldPath", ""),
        ", ".join(part for part in where if part) or document.get("reportingComponent", ""),
        (document.get("message") or "").strip(),
        age(first, now),
        document.get("count") or 1,
        name_of(document),
    ]


def node(document: Document, now: int) -> list[Any]:
    """Name, Status, Roles, Age, Version, and with ``-o wide`` addresses and system."""
    info = dig(document, "status", "nodeInfo") or {}
    addresses = dig(document, "status", "addresses") or []
    return [
        name_of(document),
        _node_status(document),
        _roles(document),
        age_of(document, now),
        info.get("kubeletVersion", ""),
        _address(addresses, "InternalIP"),
        _address(addresses, "ExternalIP"),
        info.get("osImage") or UNKNOWN,
        info.get("kernelVersion") or UNKNOWN,
        info.get("containerRuntimeVersion") or UNKNOWN,
    ]


def _node_status(document: Document) -> str:
    conditions = dig(document, "status", "conditions") or []
    ready = next((c for c in conditions if c.get("type") == "Ready"), None)
    words = ["Unknown" if ready is None else _READY.get(ready.get("status"), "NotReady")]
    if dig(document, "spec", "unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


_READY = {"True": "Ready"}
_ROLE = "node-role.kubernetes.io/"


def _roles(document: Document) -> str:
    labels = document["metadata"].get("labels") or {}
    roles = sorted(key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE))
    return ",".join(role for role in roles if role) or NONE


def _address(addresses: Sequence[Document], kind: str) -> str:
    found = (a.get("address", "") for a in addresses if a.get("type") == kind)
    return next(found, "") or NONE

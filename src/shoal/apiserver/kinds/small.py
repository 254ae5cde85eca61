"""Rules of the small kinds: namespaces, leases and priority classes."""

from typing import Final

from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.status import FORBIDDEN, INVALID, Cause

_NAME_LABEL: Final = "kubernetes.io/metadata.name"
_MOST_PRIORITY: Final = 1_000_000_000


def admit_namespace(document: Document, world: World) -> list[str]:
    """A new namespace: active, held by the collector's finalizer, labelled with its name."""
    document["spec"] = {"finalizers": ["kubernetes"]}
    document["status"] = {"phase": "Active"}
    _label_name(document)
    return []


def change_namespace(new: Document, old: Document) -> None:
    """The finalizers of spec change through ``/finalize`` alone; the name label stays."""
    new["spec"] = old.get("spec", {})
    _label_name(new)


def mark_namespace_deleted(document: Document) -> None:
    """It says so itself, since its content goes first."""
    document.setdefault("status", {})["phase"] = "Terminating"


def admit_lease(document: Document, world: World) -> list[str]:
    """Durations are positive, counts not negative."""
    _check_lease(document)
    return []


def change_lease(new: Document, old: Document) -> None:
    """As at creation."""
    _check_lease(new)


def admit_priority_class(document: Document, world: World) -> list[str]:
    """Values and names above the users' range are the system's."""
    causes = []
    if document["metadata"].get("name", "").startswith("system-"):
        causes.append(Cause(FORBIDDEN, "names in system- are reserved", "metadata.name"))
    elif document["value"] > _MOST_PRIORITY:
        causes.append(Cause(FORBIDDEN, f"at most {_MOST_PRIORITY}", "value"))
    refuse("scheduling.k8s.io", "PriorityClass", document, causes)
    return []


def _label_name(document: Document) -> None:
    metadata = document["metadata"]
    metadata.setdefault("labels", {})[_NAME_LABEL] = metadata.get("name", "")


def _check_lease(document: Document) -> None:
    spec = document.get("spec") or {}
    causes = []
    duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if duration is not None and duration <= 0:
        causes.append(Cause(INVALID, "must be above 0", "spec.leaseDurationSeconds"))
    if transitions is not None and transitions < 0:
        causes.append(Cause(INVALID, "must be 0 or above", "spec.leaseTransitions"))
    refuse("coordination.k8s.io", "Lease", document, causes)

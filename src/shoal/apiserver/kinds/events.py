"""Events: what happened to an object. One store, two faces: ``v1`` and ``events.k8s.io/v1``."""

from collections.abc import Mapping
from typing import Final

from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.registry import Face, World
from shoal.dialect.document import Document
from shoal.dialect.names import wrong_qualified
from shoal.dialect.paths import dig
from shoal.dialect.status import INVALID, REQUIRED, Cause

_GROUP_VERSION: Final = "events.k8s.io/v1"
_NEW_NAMES: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
"""Stored fields that the other face calls something else."""
_OLD_NAMES: Final = {new: old for old, new in _NEW_NAMES.items()}
_LEFT_OUT: Final = ("reportingComponent", "reportingInstance")
"""Fields that this face shows only when they say something."""
_CLUSTER_EVENTS: Final = ("default", "kube-system")
_FIXED: Final = (
    "action",
    "eventTime",
    "involvedObject",
    "message",
    "reason",
    "related",
    "reportingComponent",
    "reportingInstance",
    "type",
)


def admit_event(document: Document, world: World) -> list[str]:
    """It lies beside what it is about."""
    refuse("", "Event", document, _place_causes(document))
    return []


def admit_event_v1(document: Document, world: World) -> list[str]:
    """The newer face wants to know more of whoever writes through it."""
    _complete(document)
    told = "name who reports it; example: example.com/controller"
    causes = [*_place_causes(document)]
    if not document.get("eventTime"):
        causes.append(Cause(REQUIRED, "example: 2026-01-31T12:00:00.000000Z", "eventTime"))
    if not (reporter := document["reportingComponent"]):
        causes.append(Cause(REQUIRED, told, "reportingController"))
    elif wrong := wrong_qualified(reporter):
        causes.append(Cause(INVALID, wrong, "reportingController"))
    for field in ("reportingInstance", "action", "reason"):
        if not document.get(field):
            causes.append(Cause(REQUIRED, "must not be empty", field))
    if document.get("type") not in ("Normal", "Warning"):
        causes.append(Cause(INVALID, "one of Normal, Warning", "type"))
    refuse("events.k8s.io", "Event", document, causes)
    return []


def change_event_v1(new: Document, old: Document) -> None:
    """Only how often it happened may change through the newer face."""
    _complete(new)
    causes = [
        Cause(INVALID, "field is immutable", _NEW_NAMES.get(field, field))
        for field in _FIXED
        if new.get(field) != old.get(field)
    ]
    refuse("events.k8s.io", "Event", new, causes)


def _show(document: Document) -> Document:
    shown = _renamed(document, _NEW_NAMES)
    for field in _LEFT_OUT:
        name = _NEW_NAMES.get(field, field)
        if not shown.get(name):
            shown.pop(name, None)
    shown["apiVersion"] = _GROUP_VERSION
    return shown


def _store(document: Document) -> Document:
    return {**_renamed(document, _OLD_NAMES), "apiVersion": "v1"}


FACE: Final = Face(key="events", show=_show, store=_store)


def _renamed(document: Document, names: Mapping[str, str]) -> Document:
    return {names.get(field, field): value for field, value in document.items()}


def _complete(document: Document) -> None:
    document.setdefault("eventTime", None)
    document.setdefault("reportingComponent", "")
    document.setdefault("reportingInstance", "")


def _place_causes(document: Document) -> list[Cause]:
    about = dig(document, "involvedObject", "namespace") or ""
    namespace = document["metadata"]["namespace"]
    if about == namespace or (not about and namespace in _CLUSTER_EVENTS):
        return []
    told = f"is {about or 'not given'}, and the event is in {namespace}"
    return [Cause(INVALID, told, "involvedObject.namespace")]

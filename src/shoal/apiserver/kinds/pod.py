"""Pods: what a new one is completed with, and what may change later."""

from collections.abc import Iterator
from typing import Final

from shoal.apiserver.history import Key
from shoal.apiserver.kinds.pod_check import pod_causes
from shoal.apiserver.kinds.pod_defaults import complete_pod, containers_of
from shoal.apiserver.kinds.pod_support import unsupported
from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.status import FORBIDDEN, INVALID, Cause, forbidden

_TOLERATED: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def admit_pod(document: Document, world: World) -> list[str]:
    """Complete and check a new pod; a warning for each field that has no effect here."""
    spec = document.setdefault("spec", {})
    warnings = list(unsupported(spec, "spec"))
    complete_pod(spec)
    _name_account(spec)
    _set_priority(document, spec, world)
    _tolerate(spec)
    refuse("", "Pod", document, pod_causes(spec, "spec"))
    document["status"] = {"phase": "Pending", "qosClass": _quality(spec)}
    return warnings


def change_pod(new: Document, old: Document) -> None:
    """Only images, deadlines (to sooner) and tolerations (more of them) may change."""
    spec, before = new.setdefault("spec", {}), old["spec"]
    complete_pod(spec)
    _name_account(spec)
    for field in ("priority", "preemptionPolicy"):
        if field in before:
            spec.setdefault(field, before[field])
    refuse("", "Pod", new, _change_causes(spec, before))


def _name_account(spec: Document) -> None:
    account = spec.get("serviceAccountName") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = account


def _set_priority(document: Document, spec: Document, world: World) -> None:
    """The number behind ``priorityClassName``. Raises StatusError 403."""
    name = spec.get("priorityClassName") or ""
    found = _class_of(name, world)
    if found is None and name:
        raise _forbidden(document, f"there is no PriorityClass {name}")
    value = 0 if found is None else found["value"]
    if spec.get("priority", value) != value:
        told = f"its priority {spec['priority']} is not the {value} of its PriorityClass"
        raise _forbidden(document, told)
    spec["priority"] = value
    if found is not None:
        spec["priorityClassName"] = found["metadata"]["name"]
    policy = "PreemptLowerPriority" if found is None else found["preemptionPolicy"]
    spec.setdefault("preemptionPolicy", policy)


def _class_of(name: str, world: World) -> Document | None:
    resource = "priorityclasses.scheduling.k8s.io"
    if name:
        return world.find(Key(resource, "", name))
    return next((c for c in world.all(resource) if c.get("globalDefault")), None)


def _forbidden(document: Document, why: str) -> Exception:
    return forbidden("", "pods", document["metadata"].get("name", ""), why)


def _tolerate(spec: Document) -> None:
    """The tolerations that admission adds, so that a manifest reads back as people know it."""
    tolerations = spec.setdefault("tolerations", [])
    known = {toleration.get("key") for toleration in tolerations}
    for key in _TOLERATED:
        if key not in known:
            effect = {"effect": "NoExecute", "tolerationSeconds": 300}
            tolerations.append({"key": key, "operator": "Exists", **effect})


def _quality(spec: Document) -> str:
    """Quality-of-service class: by whether cpu and memory are asked for and bounded."""
    guaranteed, anything = True, False
    for container in containers_of(spec):
        resources = container["resources"]
        limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
        for resource in ("cpu", "memory"):
            anything = anything or resource in requests or resource in limits
            limit = limits.get(resource)
            guaranteed = guaranteed and limit is not None and limit == requests.get(resource)
    if not anything:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"


def _change_causes(spec: Document, before: Document) -> Iterator[Cause]:
    if not _deadline_allowed(spec.get("activeDeadlineSeconds"), before):
        told = "may be set or brought forward, from 1 second up"
        yield Cause(INVALID, told, "spec.activeDeadlineSeconds")
    kept = before.get("tolerations") or []
    if any(toleration not in (spec.get("tolerations") or []) for toleration in kept):
        yield Cause(FORBIDDEN, "may be added, not changed", "spec.tolerations")
    if _fixed(spec) != _fixed(before):
        told = "only images, activeDeadlineSeconds and more tolerations may change"
        yield Cause(FORBIDDEN, told, "spec")


def _deadline_allowed(deadline: int | None, before: Document) -> bool:
    earlier = before.get("activeDeadlineSeconds")
    if deadline is None:
        return earlier is None
    return deadline >= 1 and (earlier is None or deadline <= earlier)


def _fixed(spec: Document) -> Document:
    """The spec without what may change."""
    fixed = {k: v for k, v in spec.items() if k not in ("activeDeadlineSeconds", "tolerations")}
    for part in ("containers", "initContainers"):
        fixed[part] = [
            {key: value for key, value in container.items() if key != "image"}
            for container in spec.get(part) or ()
        ]
    return fixed

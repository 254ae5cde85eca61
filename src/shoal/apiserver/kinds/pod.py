"""Pods: what a new one is completed with."""

from typing import Final

from shoal.apiserver.history import Key
from shoal.apiserver.kinds.pod_account import use_account
from shoal.apiserver.kinds.pod_check import pod_causes
from shoal.apiserver.kinds.pod_defaults import complete_pod, containers_of
from shoal.apiserver.kinds.pod_support import unsupported
from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.meta import rfc3339
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.status import forbidden

_DEFAULT_CLASS: Final = b'"globalDefault":true'
_TOLERATED: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def admit_pod(document: Document, world: World) -> list[str]:
    """Complete and check a new pod; a warning for each field that has no effect here."""
    spec = document.setdefault("spec", {})
    warnings = list(unsupported(spec, "spec"))
    complete_pod(spec)
    use_account(document, world)
    _set_priority(document, spec, world)
    refuse("", "Pod", document, pod_causes(spec, "spec"))
    _tolerate(spec)
    status: Document = {"phase": "Pending", "qosClass": _quality(spec)}
    if spec.get("schedulingGates"):
        status["conditions"] = [_gated()]
    document["status"] = status
    return warnings


def _gated() -> Document:
    """The condition of a pod that no scheduler may touch yet."""
    return {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": rfc3339(),
        "reason": "SchedulingGated",
        "message": "it gets a node once its scheduling gates are taken away",
    }


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
    return next((c for c in world.all(resource, _DEFAULT_CLASS) if c.get("globalDefault")), None)


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

"""The table row of a pod: readiness, a status in one word, restarts."""

from collections.abc import Sequence
from typing import Any

from shoal.apiserver.kinds.cells import age_of, name_of
from shoal.dialect.document import Document
from shoal.dialect.paths import dig
from shoal.dialect.table import NONE, age


def pod(document: Document, now: int) -> list[Any]:
    """Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates."""
    spec, status = document.get("spec") or {}, document.get("status") or {}
    sidecars = _sidecars(spec)
    containers = _lasting(status, sidecars)
    ready = sum(1 for c in containers if c.get("ready") and dig(c, "state", "running") is not None)
    return [
        name_of(document),
        f"{ready}/{len(spec.get('containers') or ()) + len(sidecars)}",
        _status(document, spec, status),
        _restarts(containers, now),
        age_of(document, now),
        status.get("podIP") or NONE,
        spec.get("nodeName") or NONE,
        status.get("nominatedNodeName") or NONE,
        NONE,
    ]


def _sidecars(spec: Document) -> set[str]:
    """Names of the init containers that go on beside the others."""
    init = spec.get("initContainers") or ()
    return {container["name"] for container in init if container.get("restartPolicy") == "Always"}


def _lasting(status: Document, sidecars: set[str]) -> list[Document]:
    """What is told of the containers that a pod has all its life."""
    init = status.get("initContainerStatuses") or []
    kept = [one for one in init if one.get("name") in sidecars]
    return kept + (status.get("containerStatuses") or [])


def _status(document: Document, spec: Document, status: Document) -> str:
    if document["metadata"].get("deletionTimestamp"):
        return "Unknown" if status.get("reason") == "NodeLost" else "Terminating"
    starting = _init_status(spec, status)
    if starting:
        return starting
    containers = status.get("containerStatuses") or []
    reasons = [reason for reason in map(_container_reason, containers) if reason]
    if reasons and not (reasons[0] == "Completed" and _any_runs(containers)):
        return reasons[0]
    if reasons:
        return "Running" if _is_true(status, "Ready") else "NotReady"
    return status.get("reason") or _gated(spec) or status.get("phase") or "Unknown"


def _gated(spec: Document) -> str:
    return "SchedulingGated" if spec.get("schedulingGates") else ""


def _init_status(spec: Document, status: Document) -> str:
    """How far the init containers are; empty once they are through or where there are none."""
    if _is_true(status, "Initialized"):
        return ""
    total, sidecars = len(spec.get("initContainers") or ()), _sidecars(spec)
    for done, container in enumerate(status.get("initContainerStatuses") or ()):
        state = container.get("state") or {}
        if dig(state, "terminated", "exitCode") == 0:
            continue
        if container.get("started") and container.get("name") in sidecars:
            continue
        if reason := _container_reason(container):
            return reason if reason == "PodInitializing" else f"Init:{reason}"
        return f"Init:{done}/{total}"
    return ""


def _container_reason(container: Document) -> str:
    state = container.get("state") or {}
    if reason := dig(state, "waiting", "reason"):
        return str(reason)
    ended = state.get("terminated")
    if ended is None:
        return ""
    if ended.get("reason"):
        return str(ended["reason"])
    if ended.get("signal"):
        return f"Signal:{ended['signal']}"
    return f"ExitCode:{ended.get('exitCode', 0)}"


def _any_runs(containers: Sequence[Document]) -> bool:
    return any(dig(c, "state", "running") is not None and c.get("ready") for c in containers)


def _is_true(status: Document, kind: str) -> bool:
    conditions = status.get("conditions") or []
    return any(c.get("type") == kind and c.get("status") == "True" for c in conditions)


def _restarts(containers: Sequence[Document], now: int) -> str:
    count = sum(c.get("restartCount") or 0 for c in containers)
    ends = [dig(c, "lastState", "terminated", "finishedAt") for c in containers]
    last = max((end for end in ends if end), default="")
    return f"{count} ({age(last, now)} ago)" if count and last else str(count)

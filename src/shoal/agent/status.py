"""``status`` of a Pod, from what its runner knows. Pure; the words are Kubernetes' own."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from shoal.agent.containers import ContainerView, Running, Waiting
from shoal.agent.ending import Ended
from shoal.agent.machine import seconds, stamp
from shoal.agent.node import ADDRESS
from shoal.api.meta import ANNOTATION_FINISHED, ANNOTATION_STARTED

_COMPLETED: Final = "PodCompleted"
_FAILED: Final = "PodFailed"
_NOT_READY: Final = "ContainersNotReady"
_NOT_INITIALIZED: Final = "ContainersNotInitialized"


class Verdict(msgspec.Struct, frozen=True):
    """A pod's phase, and why where it needs words."""

    phase: str
    reason: str = ""
    message: str = ""


class PodView(msgspec.Struct):
    """What there is to tell of a pod. Times in ns."""

    uid: str
    started_ns: int
    init: list[ContainerView]
    main: list[ContainerView]
    since: dict[str, tuple[str, str]] = {}
    """By condition type: its status and since when it is that."""
    verdict: Verdict = Verdict("Pending")


def pod_patch(view: PodView, now: int) -> dict[str, Any]:
    """The pod's status, and when exactly it began and ended, as annotations.

    Remembers in ``view`` when conditions changed.
    """
    return {"metadata": {"annotations": _exact_times(view)}, "status": pod_status(view, now)}


def pod_status(view: PodView, now: int) -> dict[str, Any]:
    """The status to patch; remembers in ``view`` when conditions changed."""
    verdict = _verdict(view)
    status: dict[str, Any] = {
        "phase": verdict.phase,
        "hostIP": ADDRESS,
        "hostIPs": [{"ip": ADDRESS}],
        "podIP": ADDRESS,
        "podIPs": [{"ip": ADDRESS}],
        "startTime": seconds(view.started_ns),
        "conditions": _conditions(view, verdict.phase, now),
        "containerStatuses": [_container(view.uid, c) for c in view.main],
    }
    if view.init:
        status["initContainerStatuses"] = [_container(view.uid, c) for c in view.init]
    if verdict.reason:
        status |= {"reason": verdict.reason, "message": verdict.message}
    return status


def _exact_times(view: PodView) -> dict[str, str]:
    """The first start, and the end that the pod is judged by: the first bad one, else the last."""
    states = [c.state for c in view.main]
    starts = [s.started_ns for s in states if not isinstance(s, Waiting) and s.started_ns]
    times = {ANNOTATION_STARTED: stamp(min(starts))} if starts else {}
    ends = [s for s in states if isinstance(s, Ended)]
    if ends and len(ends) == len(states):
        bad = [end.ended_ns for end in ends if not end.good]
        times[ANNOTATION_FINISHED] = stamp(min(bad) if bad else max(e.ended_ns for e in ends))
    return times


def _verdict(view: PodView) -> Verdict:
    """Until the runner decides, a pod runs from the first start of a main container on."""
    if view.verdict.phase == "Pending" and _begun(view):
        return Verdict("Running")
    return view.verdict


def _begun(view: PodView) -> bool:
    return any(not isinstance(c.state, Waiting) or c.last is not None for c in view.main)


def _is_through(init: ContainerView) -> bool:
    """Whether the containers after an init container may start."""
    if init.beside:
        return isinstance(init.state, Running)
    return isinstance(init.state, Ended) and init.state.good


def _conditions(view: PodView, phase: str, now: int) -> list[dict[str, str | None]]:
    told: list[dict[str, str | None]] = []
    for kind, true, reason in _truths(view, phase):
        word = "True" if true else "False"
        before, since = view.since.get(kind, ("", ""))
        if before != word or not since:
            view.since[kind] = (word, seconds(now))
        # A null takes back the reason that was told before.
        timed = {"lastTransitionTime": view.since[kind][1], "reason": reason or None}
        told.append({"type": kind, "status": word, **timed})
    return told


def _truths(view: PodView, phase: str) -> Iterator[tuple[str, bool, str]]:
    """Each condition: whether it is true, and the reason in a word where it has one."""
    over = {"Succeeded": _COMPLETED, "Failed": _FAILED}.get(phase, "")
    placed = any(not isinstance(c.state, Waiting) for c in (*view.init, *view.main))
    initialized = _begun(view) or all(_is_through(c) for c in view.init)
    lasting = [*view.main, *(c for c in view.init if c.beside)]
    ready = phase == "Running" and all(isinstance(c.state, Running) for c in lasting)
    why = "" if ready else over or _NOT_READY
    first = _COMPLETED if over == _COMPLETED else "" if initialized else _NOT_INITIALIZED
    yield "PodScheduled", True, ""
    yield "PodReadyToStartContainers", placed and not over, ""
    yield "Initialized", initialized, first
    yield "ContainersReady", ready, why
    yield "Ready", ready, why


def _container(uid: str, view: ContainerView) -> dict[str, Any]:
    running = isinstance(view.state, Running)
    status: dict[str, Any] = {
        "name": view.name,
        "image": view.image,
        "imageID": "",
        "ready": running,
        "started": running,
        "restartCount": view.restarts,
        "state": _state(view.state, _program(uid, view, view.restarts)),
        "lastState": {},
    }
    if not isinstance(view.state, Waiting):
        status["containerID"] = _program(uid, view, view.restarts)
    if view.last is not None:
        before = view.restarts if isinstance(view.state, Waiting) else view.restarts - 1
        status["lastState"] = _state(view.last, _program(uid, view, before))
    return status


def _program(uid: str, view: ContainerView, number: int) -> str:
    """What names one start of a container."""
    return f"shoal://{uid}/{view.name}/{number}"


def _state(state: Waiting | Running | Ended, program: str) -> dict[str, Any]:
    match state:
        case Waiting():
            return {"waiting": _said(reason=state.reason, message=state.message)}
        case Running():
            return {"running": {"startedAt": seconds(state.started_ns)}}
    told: dict[str, Any] = {"exitCode": state.exit_code, "containerID": program}
    if state.signal:
        told["signal"] = state.signal
    times = {"finishedAt": seconds(state.ended_ns)}
    if state.started_ns:
        times["startedAt"] = seconds(state.started_ns)
    return {"terminated": told | _said(reason=state.reason, message=state.message) | times}


def _said(**words: str) -> dict[str, str]:
    return {key: word for key, word in words.items() if word}

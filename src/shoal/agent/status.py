"""``status`` of a Pod, from what its runner knows. Pure; the words are Kubernetes' own."""

from typing import Any, Final

import msgspec

from shoal.agent.containers import ContainerView, Running, Waiting
from shoal.agent.ending import Ended
from shoal.agent.machine import stamp
from shoal.agent.node import ADDRESS

_CONDITIONS: Final = ("Initialized", "ContainersReady", "Ready")


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
    verdict: Verdict = Verdict("Pending")
    since: dict[str, tuple[str, str]] = {}
    """By condition type: its status and since when it is that."""


def pod_status(view: PodView, now: int) -> dict[str, Any]:
    """The status to patch; remembers in ``view`` when conditions changed."""
    verdict = _verdict(view)
    status: dict[str, Any] = {
        "phase": verdict.phase,
        "hostIP": ADDRESS,
        "podIP": ADDRESS,
        "podIPs": [{"ip": ADDRESS}],
        "startTime": stamp(view.started_ns),
        "conditions": _conditions(view, verdict.phase, now),
        "containerStatuses": [_container(view.uid, c) for c in view.main],
    }
    if view.init:
        status["initContainerStatuses"] = [_container(view.uid, c) for c in view.init]
    if verdict.reason:
        status |= {"reason": verdict.reason, "message": verdict.message}
    return status


def _verdict(view: PodView) -> Verdict:
    """Until the runner decides, a pod runs from the first start of a main container on."""
    begun = any(not isinstance(c.state, Waiting) or c.last is not None for c in view.main)
    if view.verdict.phase == "Pending" and begun:
        return Verdict("Running")
    return view.verdict


def _conditions(view: PodView, phase: str, now: int) -> list[dict[str, str]]:
    initialized = all(isinstance(c.state, Ended) and c.state.good for c in view.init)
    ready = phase == "Running" and all(isinstance(c.state, Running) for c in view.main)
    told = []
    for kind, true in zip(_CONDITIONS, (initialized, ready, ready), strict=True):
        word = "True" if true else "False"
        if view.since.get(kind, ("", ""))[0] != word:
            view.since[kind] = (word, stamp(now))
        told.append({"type": kind, "status": word, "lastTransitionTime": view.since[kind][1]})
    return told


def _container(uid: str, view: ContainerView) -> dict[str, Any]:
    running = isinstance(view.state, Running)
    status: dict[str, Any] = {
        "name": view.name,
        "image": view.image,
        "imageID": "",
        "ready": running,
        "started": running,
        "restartCount": view.restarts,
        "state": _state(view.state),
    }
    if not isinstance(view.state, Waiting):
        status["containerID"] = f"shoal://{uid}/{view.name}/{view.restarts}"
    if view.last is not None:
        status["lastState"] = _state(view.last)
    return status


def _state(state: Waiting | Running | Ended) -> dict[str, Any]:
    match state:
        case Waiting():
            return {"waiting": _said(reason=state.reason, message=state.message)}
        case Running():
            return {"running": {"startedAt": stamp(state.started_ns)}}
    told: dict[str, Any] = {"exitCode": state.exit_code}
    if state.signal:
        told["signal"] = state.signal
    times = {"finishedAt": stamp(state.ended_ns)}
    if state.started_ns:
        times["startedAt"] = stamp(state.started_ns)
    return {"terminated": told | _said(reason=state.reason, message=state.message) | times}


def _said(**words: str) -> dict[str, str]:
    return {key: word for key, word in words.items() if word}

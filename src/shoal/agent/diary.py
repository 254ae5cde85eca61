"""What ``describe`` tells of a pod's life on this node: Kubernetes Events, in the background."""

from collections.abc import Iterable
from typing import Final

from shoal.agent.containers import ContainerView, Running
from shoal.agent.ending import Ended
from shoal.agent.machine import now_ns
from shoal.agent.status import Verdict
from shoal.agent.stopping import StopReason
from shoal.api.kinds import PODS
from shoal.api.pod import Pod
from shoal.core.runs.signals import say_signal
from shoal.kube.events import Events, note_about

_WHY: Final = {
    StopReason.DELETED: "the pod is deleted",
    StopReason.DEADLINE: "its time is over",
    StopReason.OVER: "the other containers have ended",
    StopReason.BROKEN: "another container of the pod failed",
}


class Diary:
    """Tells of one pod. What was before it began has been told by the agent before this one."""

    def __init__(self, events: Events, pod: Pod) -> None:
        self._events = events
        self._pod = pod
        self._begun_ns = now_ns()

    def started(self, view: ContainerView) -> None:
        """A container may have been started."""
        if isinstance(view.state, Running) and view.state.started_ns >= self._begun_ns:
            self._tell("Started", f"started container {view.name}")

    def killing(self, views: Iterable[ContainerView], why: StopReason) -> None:
        """The containers that run are to end."""
        for view in views:
            if isinstance(view.state, Running):
                self._tell("Killing", f"stopping container {view.name}: {_WHY[why]}")

    def again(self, container: str, end: Ended, pause_s: float) -> None:
        """A container that has ended is started again, after a while; told of a good end, too."""
        told = _words(container, end) or f"container {container} has ended"
        if pause_s:
            self._tell("BackOff", f"{told}; it is started again in {pause_s:.0f} s", warning=True)
        elif not end.good:
            self._tell("Failed", f"{told}; it is started again", warning=True)

    def over(self, views: Iterable[ContainerView], verdict: Verdict) -> None:
        """The pod has ended; told where it failed."""
        if verdict.phase == "Failed":
            states = ((view.name, view.state) for view in views)
            ends = (_words(name, end) for name, end in states if isinstance(end, Ended))
            told = verdict.message or next((words for words in ends if words), "")
            self._tell("Failed", told or "the pod failed", warning=True)

    def _tell(self, reason: str, message: str, *, warning: bool = False) -> None:
        self._events.tell(note_about(PODS, self._pod, reason, message, warning=warning))


def _words(container: str, end: Ended) -> str:
    """How a container failed; empty where it did not."""
    if end.good:
        return ""
    if end.message:
        return f"container {container}: {end.message}"
    if end.signal:
        return f"container {container} was killed by {say_signal(end.signal)}"
    return f"container {container} exited with {end.exit_code}"

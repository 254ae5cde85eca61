"""What a run's changes of status add to its story, told as Kubernetes Events."""

from typing import Final

import msgspec

from shoal.api.kinds import RUNS
from shoal.api.run import Run, RunPhase, RunStatus
from shoal.kube.client import Client
from shoal.kube.events import Events, note_about

_COMPONENT: Final = "shoal-controllers"


class Entry(msgspec.Struct, frozen=True):
    """One line of a run's story. ``warning`` where something went wrong."""

    reason: str
    message: str
    warning: bool = False


def entry_for(before: RunStatus, after: RunStatus) -> Entry | None:
    """What a change of status adds to the story, if anything."""
    if after.attempt != before.attempt:
        return Entry("Restarted", after.message, warning=True)
    if after.phase is RunPhase.QUEUED and after.reason and not before.reason:
        return Entry("Queued", after.message)
    if after.phase is before.phase or after.phase is RunPhase.QUEUED:
        return None
    warning = after.phase in (RunPhase.FAILED, RunPhase.TIMED_OUT)
    return Entry(after.phase, after.message or _where(after), warning)


class Timeline:
    """Writes the stories of runs in the background."""

    def __init__(self, client: Client) -> None:
        self._events = Events(client, _COMPONENT)

    def tell(self, run: Run, after: RunStatus) -> None:
        """Note a change of a run's status."""
        entry = entry_for(run.status, after)
        if entry is not None:
            warning = entry.warning
            self._events.tell(note_about(RUNS, run, entry.reason, entry.message, warning=warning))

    async def run(self) -> None:
        """Write what is told until cancelled."""
        await self._events.run()


def _where(status: RunStatus) -> str:
    if status.phase not in (RunPhase.STARTING, RunPhase.RUNNING):
        return f"run {status.phase.lower()}"
    nodes = dict.fromkeys(replica.node for replica in status.replicas)
    return "on " + ", ".join(nodes)

"""Kubernetes Events that tell a run's story, for people who ask ``describe``.

Best effort and bounded: a burst of runs must not be slowed down by its own diary. What is
left out is counted in the log.
"""

import asyncio
import logging
import time
import uuid
from collections import deque
from typing import Any, Final

import msgspec

from shoal.api.kinds import EVENTS
from shoal.api.meta import API_VERSION
from shoal.api.run import Run, RunPhase, RunStatus
from shoal.controllers.pace import Pace
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.units.instant import format_instant

_MOST_WAITING: Final = 200
_PER_SECOND: Final = 5
_BURST: Final = 50
_COMPONENT: Final = "shoal-controllers"
_log = logging.getLogger(__name__)


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
    """Writes events in the background."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: deque[dict[str, Any]] = deque()
        self._wake = asyncio.Event()
        self._pace = Pace(_PER_SECOND, _BURST)
        self._left_out = 0

    def tell(self, run: Run, after: RunStatus) -> None:
        """Note a change of a run's status."""
        entry = entry_for(run.status, after)
        if entry is None:
            return
        if len(self._waiting) >= _MOST_WAITING:
            self._left_out += 1
            return
        self._waiting.append(_event(run, entry))
        self._wake.set()

    async def run(self) -> None:
        """Write what is told until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                await asyncio.sleep(self._pace.take())
                await self._write(self._waiting.popleft())
            if self._left_out:
                _log.warning("events left out", extra={"count": self._left_out})
                self._left_out = 0

    async def _write(self, event: dict[str, Any]) -> None:
        try:
            await self._client.create(EVENTS, event, event["metadata"]["namespace"])
        except ApiError as error:
            _log.info("event not written", extra={"error": error.message})


def _where(status: RunStatus) -> str:
    if status.phase not in (RunPhase.STARTING, RunPhase.RUNNING):
        return f"run {status.phase.lower()}"
    nodes = dict.fromkeys(replica.node for replica in status.replicas)
    return "on " + ", ".join(nodes)


def _event(run: Run, entry: Entry) -> dict[str, Any]:
    meta = run.metadata
    now = format_instant(time.time_ns() // 1_000_000)
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{meta.name}.{uuid.uuid4().hex[:16]}", "namespace": meta.namespace},
        "involvedObject": {
            "apiVersion": API_VERSION,
            "kind": "Run",
            "name": meta.name,
            "namespace": meta.namespace,
            "uid": meta.uid,
        },
        "type": "Warning" if entry.warning else "Normal",
        "reason": entry.reason,
        "message": entry.message,
        "source": {"component": _COMPONENT},
        "reportingComponent": _COMPONENT,
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }

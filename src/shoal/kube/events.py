"""Kubernetes Events that tell an object's story, for people who ask ``describe``.

Best effort and bounded: a burst of work must not be slowed down by its own diary. What is
left out is counted in the log. What is told again word for word counts up the event there is.
"""

import asyncio
import logging
import time
import uuid
from collections import deque
from typing import Any, Final

import msgspec

from shoal.api.kinds import EVENTS, Kind
from shoal.api.meta import Object
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.pace import Pace
from shoal.units.instant import format_instant

_MOST_WAITING: Final = 200
_MOST_KNOWN: Final = 1000
"""Events that are remembered, so that they can be counted up."""
_PER_SECOND: Final = 5
_BURST: Final = 50
_LONGEST: Final = 1024
"""Letters of a message, as in Kubernetes."""
_log = logging.getLogger(__name__)


class Note(msgspec.Struct, frozen=True):
    """What is told about an object. ``warning`` where something is not as it was asked for."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str
    reason: str
    message: str
    warning: bool = False

    @property
    def home(self) -> str:
        """The namespace of the event: that of objects without one lies in ``default``."""
        return self.namespace or "default"


def note_about(kind: Kind[Any], obj: Object, reason: str, message: str, *, warning: bool) -> Note:
    """A note about an object of a kind."""
    meta = obj.metadata
    return Note(
        kind.api_version, kind.name, meta.namespace, meta.name, meta.uid, reason, message, warning
    )


class Events:
    """Writes events of one component in the background."""

    def __init__(self, client: Client, component: str) -> None:
        self._client = client
        self._component = component
        self._waiting: deque[Note] = deque()
        self._known: dict[Note, tuple[str, int]] = {}
        self._wake = asyncio.Event()
        self._pace = Pace(_PER_SECOND, _BURST)
        self._left_out = 0

    def tell(self, note: Note) -> None:
        """Have a note written."""
        if len(self._waiting) >= _MOST_WAITING:
            self._left_out += 1
            return
        self._waiting.append(note)
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

    async def _write(self, note: Note) -> None:
        try:
            if not await self._count_up(note):
                await self._create(note)
        except ApiError as error:
            if not (error.namespace_ends or error.not_found):  # its namespace goes, or is gone
                _log.info("event not written", extra={"error": error.message})

    async def _count_up(self, note: Note) -> bool:
        """False if there is no such event, or none any more."""
        name, count = self._known.pop(note, ("", 0))
        if not name:
            return False
        patch = {"count": count + 1, "lastTimestamp": _now()}
        try:
            await self._client.patch(EVENTS, name, note.home, patch=patch)
        except ApiError as error:
            if error.not_found:
                return False
            raise
        self._known[note] = (name, count + 1)
        return True

    async def _create(self, note: Note) -> None:
        event = event_object(note, self._component)
        await self._client.create(EVENTS, event, note.home)
        self._known[note] = (event["metadata"]["name"], 1)
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]


def event_object(note: Note, component: str) -> dict[str, Any]:
    """The first event of a note."""
    now = _now()
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"{note.name[:200].rstrip('-.')}.{uuid.uuid4().hex[:16]}",
            "namespace": note.home,
        },
        "involvedObject": _about(note),
        "type": "Warning" if note.warning else "Normal",
        "reason": note.reason,
        "message": note.message[:_LONGEST],
        "source": {"component": component},
        "reportingComponent": component,
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }


def _about(note: Note) -> dict[str, str]:
    about = {
        "apiVersion": note.api_version,
        "kind": note.kind,
        "name": note.name,
        "namespace": note.namespace,
        "uid": note.uid,
    }
    return {key: value for key, value in about.items() if value}


def _now() -> str:
    return format_instant(time.time_ns() // 1_000_000)

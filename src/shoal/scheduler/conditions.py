"""What a waiting pod's status says: ``PodScheduled=False`` with the reason in a word and a line.

Written only when it changes, a pod at most every two seconds and all pods together at most
twenty times a second; of several reasons that come meanwhile the last one is written. When it
is another reason, and not only other numbers, an event tells it too.
"""

import asyncio
import logging
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from shoal.api.kinds import PODS
from shoal.api.meta import Condition, find_condition
from shoal.core.event import Group
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.events import Events, note_about
from shoal.kube.workqueue import WorkQueue
from shoal.mirror.objects import Objects
from shoal.scheduler.clock import now_ms
from shoal.units.instant import format_instant

_SCHEDULED: Final = "PodScheduled"
_FIRST_S: Final = 0.2
"""Most pods find their place before their wait need be written anywhere."""
_PER_POD_S: Final = 2.0
_BETWEEN_S: Final = 0.05

_log = logging.getLogger(__name__)


class Waits(msgspec.Struct, frozen=True):
    """What the status of one pod is to say."""

    namespace: str
    name: str
    code: str
    message: str


class Conditions:
    """The waits to be written, by uid of the pod."""

    def __init__(self, client: Client, objects: Objects, events: Events) -> None:
        self._client = client
        self._objects = objects
        self._events = events
        self._wanted: dict[str, Waits] = {}
        self._written: dict[str, Waits] = {}
        self._queue: WorkQueue[str] = WorkQueue()

    def tell(self, group: Group, code: str, message: str) -> None:
        """Every member of the group waits for this."""
        for member in group.members:
            again = member.pod in self._written
            self._wanted[member.pod] = Waits(group.namespace, member.name, code, message)
            self._queue.add_after(member.pod, _PER_POD_S if again else _FIRST_S)

    def forget(self, pods: Iterable[str]) -> None:
        """These pods do not wait any more."""
        for uid in pods:
            self._wanted.pop(uid, None)
            self._written.pop(uid, None)

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            uid = await self._queue.get()
            waits = self._wanted.pop(uid, None)
            if waits is None or self._says(uid, waits):
                self._queue.done(uid)
                continue
            written = await self._write(uid, waits)
            self._queue.done(uid, failed=not written)
            await asyncio.sleep(_BETWEEN_S)

    async def _write(self, uid: str, waits: Waits) -> bool:
        """False if it is to be tried again."""
        before = self._code(uid)
        try:
            await self._client.patch(
                PODS,
                waits.name,
                waits.namespace,
                patch={
                    "metadata": {"uid": uid},
                    "status": {"conditions": [self._entry(uid, waits)]},
                },
                strategic=True,
                subresource="status",
            )
        except ApiError as error:
            _log.warning("condition not written", extra={"pod": waits.name, "error": error.message})
            if error.passing:
                self._wanted.setdefault(uid, waits)
            return not error.passing
        if before != waits.code:
            self._note(uid, waits)
        self._written[uid] = waits
        return True

    def _note(self, uid: str, waits: Waits) -> None:
        """Tell it as an event too, for ``describe``."""
        pod = self._objects.pod(uid)
        if pod is not None:
            note = note_about(PODS, pod, "FailedScheduling", waits.message, warning=True)
            self._events.tell(note)

    def _says(self, uid: str, waits: Waits) -> bool:
        """Whether the pod's status says so already."""
        if uid in self._written:
            return self._written[uid] == waits
        known = self._known(uid)
        return known is not None and (known.reason, known.message) == (waits.code, waits.message)

    def _code(self, uid: str) -> str:
        """The reason that the pod's status names."""
        if uid in self._written:
            return self._written[uid].code
        known = self._known(uid)
        return known.reason if known is not None else ""

    def _entry(self, uid: str, waits: Waits) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "type": _SCHEDULED,
            "status": "False",
            "reason": waits.code,
            "message": waits.message,
        }
        if self._known(uid) is None and uid not in self._written:
            entry["lastTransitionTime"] = format_instant(now_ms())
        return entry

    def _known(self, uid: str) -> Condition | None:
        pod = self._objects.pod(uid)
        return find_condition(pod.status.conditions, _SCHEDULED) if pod is not None else None

"""The objects: in memory for reading, in the log for keeps.

Readers and watchers see only what is durable. Writers see what is still being written too, so
that two writers of one object meet in order; a write is acknowledged after its sync. All of it
belongs to one event loop; between reading a version and handing in the next there must be no
``await``.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import msgspec

from shoal.apiserver.history import (
    ADDED,
    DEFAULT_BOUNDS,
    DELETED,
    MODIFIED,
    Bounds,
    Entry,
    Event,
    History,
    Key,
)
from shoal.apiserver.log import Log
from shoal.apiserver.storefile import Record
from shoal.apiserver.writer import Job, Writer
from shoal.dialect.status import Details, StatusError

_MOST_WAITING: Final = 8192
_TICKS_IN_AN_AGE: Final = 16
_encode: Final = msgspec.json.Encoder().encode

Wake = Callable[[], None]


class _Waiting(msgspec.Struct, frozen=True):
    event: Event
    done: asyncio.Future[Entry]


class Store:
    """Every object by key, with revisions, optimistic concurrency and a window of history."""

    def __init__(self, log: Log, bounds: Bounds = DEFAULT_BOUNDS) -> None:
        """Load everything. Raises StoreDamaged."""
        self._objects: dict[str, dict[str, dict[str, Entry]]] = {}
        self._pending: dict[Key, Event] = {}
        self._waiting: deque[_Waiting] = deque()
        self._fresh: list[Record] = []
        self._wakes: dict[str, set[Wake]] = {}
        self._epoch = 0
        self.rendered: dict[tuple[object, ...], list[bytes]] = {}
        """What one watch made of the last commits, for others at the same place."""
        self.history = History(log.compacted(), bounds)
        self._tick_s = bounds.seconds / _TICKS_IN_AN_AGE
        self.revision = self.history.compacted
        """The last revision that is durable."""
        self._load(log)
        self._assigned = self.revision
        self._writer = Writer(log, self._committed, self._failed)

    def start(self) -> None:
        """Begin to accept writes; called in the loop that will use the store."""
        loop = asyncio.get_running_loop()
        self._writer.start(loop)
        self._timer = loop.call_later(self._tick_s, self._tick)
        self.history.age(loop.time(), self.revision)
        if self._leftover:
            self._writer.submit(Job(self._epoch, drop=tuple(self._leftover)))

    def stop(self) -> None:
        """Finish what waits and close the log."""
        self._timer.cancel()
        self._hand_in()
        self._writer.stop()

    def get(self, key: Key) -> Entry | None:
        """The durable version, for readers."""
        return self._objects.get(key.resource, {}).get(key.namespace, {}).get(key.name)

    def newest(self, key: Key) -> Entry | None:
        """The version that the next write of this object has to build on."""
        event = self._pending.get(key)
        if event is None:
            return self.get(key)
        return None if event.type == DELETED else event.entry

    def present(self, resource: str, namespace: str = "") -> list[tuple[Key, Entry]]:
        """The durable objects of one namespace, or of all, in order of their names."""
        spaces = self._objects.get(resource, {})
        wanted = [namespace] if namespace else sorted(spaces)
        return [
            (Key(resource, space, name), entry)
            for space in wanted
            for name, entry in sorted(spaces.get(space, {}).items())
        ]

    def count(self, resource: str) -> int:
        """How many durable objects there are of a kind."""
        return sum(map(len, self._objects.get(resource, {}).values()))

    def past(self, resource: str, namespace: str, revision: int) -> list[tuple[Key, Entry]]:
        """The same as it was at a revision that the history still reaches."""
        state = dict(self.present(resource, namespace))
        for event in self.history.newest_first(resource, revision):
            if namespace and event.key.namespace != namespace:
                continue
            if event.before is None:
                state.pop(event.key, None)
            else:
                state[event.key] = event.before
        return sorted(state.items())

    def put(self, key: Key, document: dict[str, Any]) -> asyncio.Future[Entry]:
        """Write an object; its ``metadata.resourceVersion`` is set. Done when durable.

        Takes effect for other writers at once. The future, or the call where too much waits,
        raises StatusError when the write was lost.
        """
        return self._write(MODIFIED if self.newest(key) else ADDED, key, document)

    def remove(self, key: Key, document: dict[str, Any]) -> asyncio.Future[Entry]:
        """Delete an object; ``document`` is its last state. Otherwise as ``put``."""
        return self._write(DELETED, key, document)

    async def settled(self, key: Key) -> None:
        """Return once the newest version of an object is durable. Raises StatusError."""
        event = self._pending.get(key)
        if event is not None:
            done = next(w.done for w in self._waiting if w.event is event)
            await asyncio.shield(done)

    def wake_on(self, resource: str, wake: Wake) -> None:
        """Call ``wake`` after every commit that touched the resource."""
        self._wakes.setdefault(resource, set()).add(wake)

    def wake(self, resource: str) -> None:
        """Call what waits on a resource, though nothing of it was written."""
        for wake in tuple(self._wakes.get(resource, ())):
            wake()

    def forget(self, resource: str, wake: Wake) -> None:
        """Undo ``wake_on``."""
        self._wakes.get(resource, set()).discard(wake)

    def _write(self, kind: str, key: Key, document: dict[str, Any]) -> asyncio.Future[Entry]:
        if len(self._waiting) >= _MOST_WAITING:
            raise _too_many()
        self._assigned += 1
        metadata = document["metadata"]
        metadata["resourceVersion"] = str(self._assigned)
        entry = Entry(self._assigned, _encode(document), bool(metadata.get("deletionTimestamp")))
        event = Event(kind, key, entry, self.newest(key))
        loop = asyncio.get_running_loop()
        waiting = _Waiting(event, loop.create_future())
        self._pending[key] = event
        self._waiting.append(waiting)
        if not self._fresh:
            loop.call_soon(self._hand_in)
        self._fresh.append(_record(event))
        return waiting.done

    def _hand_in(self) -> None:
        """What was written in one turn of the loop goes to the writer as one: one sync for all."""
        if self._fresh:
            self._writer.submit(Job(self._epoch, tuple(self._fresh)))
            self._fresh.clear()

    def _committed(self, revision: int) -> None:
        """Show what is durable now, wake who watches it, and answer who wrote it."""
        touched: set[str] = set()
        done: list[_Waiting] = []
        while self._waiting and self._waiting[0].event.revision <= revision:
            waiting = self._waiting.popleft()
            self._apply(waiting.event)
            touched.add(waiting.event.key.resource)
            done.append(waiting)
        self.revision = revision
        self.rendered.clear()
        self._trim()
        for resource in touched:
            self.wake(resource)
        for waiting in done:
            if not waiting.done.done():
                waiting.done.set_result(waiting.event.entry)

    def _failed(self, epoch: int, why: str) -> None:
        """Forget what was not written; everybody who waits for it is told."""
        self._epoch = epoch + 1
        self._pending.clear()
        self._fresh.clear()
        lost, self._waiting = self._waiting, deque()
        for waiting in lost:
            if not waiting.done.done():
                waiting.done.set_exception(_not_written(why))

    def _apply(self, event: Event) -> None:
        key = event.key
        names = self._objects.setdefault(key.resource, {}).setdefault(key.namespace, {})
        if event.type == DELETED:
            names.pop(key.name, None)
            if not names:
                del self._objects[key.resource][key.namespace]
        else:
            names[key.name] = event.entry
        if (latest := self._pending.get(key)) and latest.revision == event.revision:
            del self._pending[key]
        self.history.add(event)

    def _tick(self) -> None:
        """Let history age while nothing is written."""
        loop = asyncio.get_running_loop()
        self.history.age(loop.time(), self.revision)
        self._trim()
        self._timer = loop.call_later(self._tick_s, self._tick)

    def _trim(self) -> None:
        if dropped := self.history.trim():
            self._writer.submit(Job(self._epoch, drop=dropped.rows, compacted=dropped.compacted))

    def _load(self, log: Log) -> None:
        """Rebuild state and window from the rows; note those that a lost clean-up left behind."""
        self._leftover: list[int] = []
        for record in log.records():
            key = Key(record.resource, record.namespace, record.name)
            entry = Entry(record.revision, record.data, _is_deleting(record.data))
            before = self.get(key)
            kind = DELETED if record.deleted else MODIFIED if before else ADDED
            self._restore(Event(kind, key, entry, before))
            self.revision = max(self.revision, record.revision)

    def _restore(self, event: Event) -> None:
        if event.revision > self.history.compacted:
            self._apply(event)
            return
        if event.before is not None:
            self._leftover.append(event.before.revision)
        names = self._objects.setdefault(event.key.resource, {})
        names.setdefault(event.key.namespace, {})[event.key.name] = event.entry
        if event.type == DELETED:
            self._leftover.append(event.revision)
            del names[event.key.namespace][event.key.name]


class _Head(msgspec.Struct, rename="camel"):
    class Metadata(msgspec.Struct, rename="camel"):
        deletion_timestamp: str | None = None

    metadata: Metadata


_decode_head: Final = msgspec.json.Decoder(_Head).decode


def _is_deleting(raw: bytes) -> bool:
    if b'"deletionTimestamp"' not in raw:
        return False
    return _decode_head(raw).metadata.deletion_timestamp is not None


def _record(event: Event) -> Record:
    key, entry = event.key, event.entry
    deleted = event.type == DELETED
    return Record(entry.revision, key.resource, key.namespace, key.name, deleted, entry.raw)


def _too_many() -> StatusError:
    message = f"{_MOST_WAITING} writes wait for the disk already; try again in a second"
    details = Details(retry_after_seconds=1)
    return StatusError(429, "TooManyRequests", message, details)


def _not_written(why: str) -> StatusError:
    message = (
        f"nothing was changed: the store could not be written ({why}); "
        "free space on the disk of SHOAL_HOME and try again"
    )
    return StatusError(507, "InsufficientStorage", message)

"""What changed lately: a bounded window of events that watches read and lists look back into.

A watch is a place in this window, not a buffer of its own: one that is too slow falls out of it
and is cut off. The window is bounded in events, in bytes and in age.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from operator import attrgetter
from typing import Final

import msgspec

ADDED: Final = "ADDED"
MODIFIED: Final = "MODIFIED"
DELETED: Final = "DELETED"

_MARKS_IN_AN_AGE: Final = 16
_CUT_AT: Final = 512
_REVISION: Final = attrgetter("revision")


class Key(msgspec.Struct, frozen=True, order=True):
    """Which object: resource as ``plural.group``, namespace (empty: cluster), name."""

    resource: str
    namespace: str
    name: str


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One version of one object, encoded. ``deleting``: it carries a deletionTimestamp."""

    revision: int
    raw: bytes
    deleting: bool


class Event(msgspec.Struct, frozen=True, gc=False):
    """A change. ``before`` is None when the object is new; DELETED carries its last state."""

    type: str
    key: Key
    entry: Entry
    before: Entry | None

    @property
    def revision(self) -> int:
        """The revision of the write that made it."""
        return self.entry.revision


class Bounds(msgspec.Struct, frozen=True):
    """How much history is kept; whatever is reached first counts.

    ``bytes`` are those of every version that an event holds, also the one before. ``seconds``
    are of the process's own steady clock: what a restart finds is young again.
    """

    events: int = 10_000
    bytes: int = 32 * 1024 * 1024
    seconds: float = 600


DEFAULT_BOUNDS: Final = Bounds()


class Dropped(msgspec.Struct, frozen=True):
    """What left the window: rows that nothing needs any more, and the new beginning."""

    rows: tuple[int, ...]
    compacted: int


class History:
    """The window: events of each resource in order of revision."""

    def __init__(self, compacted: int, bounds: Bounds) -> None:
        self.compacted = compacted
        """Events up to this revision are gone, or were gone at the start."""
        self._bounds = bounds
        self._floor = compacted
        self._old = 0
        self._marks: deque[tuple[float, int]] = deque()
        self._lost: dict[str, int] = {}
        self._all: deque[Event] = deque()
        self._bytes = 0
        self._of: dict[str, list[Event]] = {}
        self._gone: dict[str, int] = {}

    def add(self, event: Event) -> None:
        """Append; revisions only rise."""
        self._all.append(event)
        self._bytes += _weight(event)
        self._of.setdefault(event.key.resource, []).append(event)

    def trim(self) -> Dropped | None:
        """Let the oldest go until the bounds hold; None when they held."""
        before = self.compacted
        rows: list[int] = []
        while self._all and self._is_over():
            event = self._all.popleft()
            self._bytes -= _weight(event)
            self._forget(event)
            self.compacted = event.revision
            if event.before is not None:
                rows.append(event.before.revision)
            if event.type == DELETED:
                rows.append(event.revision)
        return Dropped(tuple(rows), self.compacted) if self.compacted > before else None

    def age(self, now: float, revision: int) -> None:
        """Note when a revision was reached; what is older than the bound goes at the next trim."""
        apart = self._bounds.seconds / _MARKS_IN_AN_AGE
        if not self._marks or self._marks[-1][0] + apart <= now:
            self._marks.append((now, revision))
        while self._marks and self._marks[0][0] + self._bounds.seconds <= now:
            self._old = self._marks.popleft()[1]

    def begins(self, resource: str) -> int:
        """The revision that one may still begin from: nothing is gone since, and it is not old."""
        return max(self.lost(resource), self._old)

    def lost(self, resource: str) -> int:
        """The revision up to which events of this resource are gone: what is busy elsewhere
        does not age the watches of a quiet kind.
        """
        return self._lost.get(resource, self._floor)

    def since(self, resource: str, revision: int) -> list[Event]:
        """The events of a resource after a revision, oldest first."""
        events = self._of.get(resource, [])
        start = max(bisect_right(events, revision, key=_REVISION), self._gone.get(resource, 0))
        return events[start:]

    def newest_first(self, resource: str, after: int) -> Iterator[Event]:
        """The same from the newest back."""
        return reversed(self.since(resource, after))

    def _is_over(self) -> bool:
        bounds = self._bounds
        return (
            len(self._all) > bounds.events
            or self._bytes > bounds.bytes
            or self._all[0].revision <= self._old
        )

    def _forget(self, event: Event) -> None:
        """Count the oldest event of a resource as gone; cut the list now and then."""
        resource = event.key.resource
        self._lost[resource] = event.revision
        gone = self._gone.get(resource, 0) + 1
        events = self._of[resource]
        if gone >= _CUT_AT or gone == len(events):
            del events[:gone]
            gone = 0
        self._gone[resource] = gone


def _weight(event: Event) -> int:
    return len(event.entry.raw) + (len(event.before.raw) if event.before else 0)

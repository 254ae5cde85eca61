"""Book: who holds what, what is assumed kept apart from what was seen.

An entry takes the room that it was seen to take, and also what a decision assumed for it
where that differs: until the decision is answered, either may turn out to be true.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar


class Entry(Protocol):
    """Something that takes room on a node."""

    @property
    def node(self) -> str:
        """The node's name."""

    @property
    def room(self) -> tuple[object, ...]:
        """What it takes, and where."""


E = TypeVar("E", bound=Entry)


@dataclass(slots=True)
class Book(Generic[E]):
    """Entries by uid. ``counted`` is what takes room; its nodes may be unknown."""

    seen: dict[str, E] = field(default_factory=dict)
    assumed: dict[str, E] = field(default_factory=dict)
    counted: dict[str, tuple[E, ...]] = field(default_factory=dict)
    _by_node: dict[str, dict[str, None]] = field(default_factory=dict)

    def settle(self, uid: str) -> tuple[tuple[E, ...], tuple[E, ...]]:
        """Count what was seen and assumed of the entry; answers what took room before and now."""
        before, now = self.counted.pop(uid, ()), self._due(uid)
        for entry in before:
            self._by_node[entry.node].pop(uid, None)
        for entry in now:
            self._by_node.setdefault(entry.node, {})[uid] = None
        if now:
            self.counted[uid] = now
        for entry in before:
            if not self._by_node.get(entry.node, True):
                del self._by_node[entry.node]
        return before, now

    def on(self, node: str) -> Iterator[E]:
        """What takes room on a node."""
        for uid in self._by_node.get(node, ()):
            yield from (entry for entry in self.counted[uid] if entry.node == node)

    def _due(self, uid: str) -> tuple[E, ...]:
        seen, assumed = self.seen.get(uid), self.assumed.get(uid)
        if seen is not None and assumed is not None:
            return (seen,) if seen.room == assumed.room else (seen, assumed)
        entry = seen if seen is not None else assumed
        return () if entry is None else (entry,)

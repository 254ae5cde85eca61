"""Members with several shares: where they fit, by an exact search node by node.

An engine's classes have one share a member. Who asks for several claims at once is rare; such
members are tried on a look at each node, kept by what they ask for and repaired where nodes
changed since they were last asked for.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from shoal.core.cluster import Cluster
from shoal.core.engine.spec import Most, Survey
from shoal.core.fit import Candidate, best_cards, candidate
from shoal.core.room import NodeRoom
from shoal.core.shape import MemberShape

_MOST_ROWS: Final = 64


class _Row:
    """The nodes that fit, by number, right up to a position in the log of changes."""

    __slots__ = ("candidates", "position")

    def __init__(self) -> None:
        self.candidates: dict[int, Candidate] = {}
        self.position = -1


class Several:
    """What was found on one cluster; what was asked for least recently is dropped."""

    __slots__ = ("_cluster", "_rows")

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._rows: dict[MemberShape, _Row] = {}

    def best(self, shape: MemberShape) -> Candidate | None:
        """The node where the member fits best; ties go by name."""
        return min(self.all(shape), default=None)

    def all(self, shape: MemberShape) -> Iterable[Candidate]:
        """Every node where the member fits. Not to be changed or kept."""
        row = self._rows.pop(shape, None) or _Row()
        self._rows[shape] = row
        if len(self._rows) > _MOST_ROWS:
            del self._rows[next(iter(self._rows))]
        self._repair(row, shape)
        return row.candidates.values()

    def survey(self, shape: MemberShape) -> Survey:
        """What there is on the nodes that suit the member; of cards, only who serves them all."""
        cluster = self._cluster
        bare = msgspec.structs.replace(shape, shares=(), level=False)
        there = cluster.engine.survey(cluster.classes.number(bare))
        suits = cluster.suits.all(shape)
        rooms = [NodeRoom(cluster, node) for at, node in cluster.by_number.items() if suits[at]]
        served = [room for room in rooms if best_cards(room, shape) is not None]
        with_cpu = [room for room in served if room.cpu_left >= shape.cpu_milli]
        return there._replace(
            served=len(served),
            cpu=self._most((room.cpu_left, room) for room in served),
            memory=self._most((room.memory_left, room) for room in with_cpu or served),
        )

    def _most(self, found: Iterable[tuple[int, NodeRoom]]) -> Most:
        """The most, and where: by name among equals."""
        in_order = sorted(found, key=lambda one: one[1].name)
        amount, room = max(in_order, key=lambda one: one[0], default=(0, None))
        return Most(amount, -1 if room is None else self._cluster.nodes[room.name].number, -1)

    def _repair(self, row: _Row, shape: MemberShape) -> None:
        engine = self._cluster.engine
        touched = engine.touched_since(row.position) if row.position >= 0 else None
        if touched is None:
            row.candidates.clear()
            touched = list(self._cluster.by_number)
        row.position = engine.position()
        for number in touched:
            found = self._look(number, shape)
            if found is None:
                row.candidates.pop(number, None)
            else:
                row.candidates[number] = found

    def _look(self, number: int, shape: MemberShape) -> Candidate | None:
        node = self._cluster.by_number.get(number)
        if node is None or not self._cluster.suits.one(number, shape):
            return None
        return candidate(NodeRoom(self._cluster, node), shape)

"""Candidates by request class, repaired where nodes changed since they were last asked for.

Filter and rank depend on the node alone, so a class's row is exact after looking at the nodes
touched since; an answer that nothing fits is as cheap as one that something does.
"""

from typing import Final

from shoal.core.cluster import Cluster
from shoal.core.fit import Candidate, candidate
from shoal.core.shape import MemberShape

_MOST_ROWS: Final = 512


class Row:
    """The nodes that a class fits on, by name, right up to a version of the cluster."""

    __slots__ = ("candidates", "layout", "version")

    def __init__(self, layout: int) -> None:
        self.candidates: dict[str, Candidate] = {}
        self.layout = layout
        self.version = -1


class Rows:
    """The rows of one cluster; those asked for least recently are dropped."""

    __slots__ = ("_cluster", "_rows")

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._rows: dict[MemberShape, Row] = {}

    def best(self, shape: MemberShape) -> Candidate | None:
        """The node where the member fits best; ties go by name."""
        return min(self.all(shape).values(), default=None)

    def all(self, shape: MemberShape) -> dict[str, Candidate]:
        """Every node where the member fits, by name. Not to be changed or kept."""
        row = self._rows.pop(shape, None)
        if row is None or row.layout != self._cluster.layout:
            row = Row(self._cluster.layout)
        self._rows[shape] = row
        if len(self._rows) > _MOST_ROWS:
            del self._rows[next(iter(self._rows))]
        if row.version != self._cluster.version:
            self._repair(row, shape)
        return row.candidates

    def _repair(self, row: Row, shape: MemberShape) -> None:
        nodes = self._cluster.nodes
        for name in self._cluster.touched_since(row.version):
            found = candidate(nodes[name], shape)
            if found is None:
                row.candidates.pop(name, None)
            else:
                row.candidates[name] = found
        row.version = self._cluster.version

"""Fragmentation: what is idle and of no use to the work that is expected.

As the published figures define it (Weng et al., USENIX ATC'23): of a node's idle cards, what
a class cannot use is all of it where the class does not fit, else the cards with less free than
it asks of each; the node's fragmentation is the mean over the expected classes by how often
they come. Exact integers: milli-card times weight.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from shoal.core.engine.spec import Ask, Work
from shoal.sim.classes import kind_of, kinds_of

Residues = tuple[int, ...]


class _Alike(NamedTuple):
    """Classes that differ in CPU alone: the CPU that each asks, rising, and weights summed up."""

    kind: int
    cards: int
    milli: int
    cpus: list[int]
    weights: list[int]


class Fragmentation:
    """Looks at nodes for one mix of work. ``kinds`` names the parts in which it is told."""

    def __init__(self, works: Sequence[Work], models: int) -> None:
        self.kinds = kinds_of(work.ask for work in works)
        self.total_weight = sum(work.weight for work in works)
        self._weights = [
            sum(work.weight for work in works if kind_of(work.ask) == kind) for kind in self.kinds
        ]
        self._alike = [self._usable_on(works, model) for model in range(models)]
        self._known: dict[tuple[int, int, Residues], tuple[int, ...]] = {}

    def of(self, model: int, cpu: int, residues: Residues) -> tuple[int, ...]:
        """Of a node with so much CPU and of each card left, by kind of work."""
        key = (model, cpu, residues)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look(model, cpu, residues)
        return known

    def _look(self, model: int, cpu: int, residues: Residues) -> tuple[int, ...]:
        idle = sum(residues)
        parts = [idle * weight for weight in self._weights]
        for kind, cards, milli, cpus, weights in self._alike[model]:
            fitting = [left for left in residues if left >= milli]
            if len(fitting) >= cards:
                parts[kind] -= sum(fitting) * weights[bisect_right(cpus, cpu)]
        return tuple(parts)

    def _usable_on(self, works: Iterable[Work], model: int) -> list[_Alike]:
        groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for ask, weight in ((work.ask, work.weight) for work in works):
            if ask.count and ask.allows(model):
                groups.setdefault((ask.count, ask.milli), []).append((ask.cpu, weight))
        return [self._as_one(*key, sorted(group)) for key, group in groups.items()]

    def _as_one(self, count: int, milli: int, group: list[tuple[int, int]]) -> _Alike:
        kind = self.kinds.index(kind_of(Ask(count=count, milli=milli)))
        cpus = [cpu for cpu, _ in group]
        return _Alike(kind, count, milli, cpus, list(accumulate((w for _, w in group), initial=0)))

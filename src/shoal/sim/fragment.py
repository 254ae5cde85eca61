"""Fragmentation: what is idle and of no use to the work that is expected.

As the published figures define it (Weng et al., USENIX ATC'23): of a node's idle cards, what
a class cannot use is all of it where the class does not fit, else the cards with less free than
it asks of each; the node's fragmentation is the mean over the expected classes by how often
they come. Exact integers: milli-card times weight.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from shoal.core.engine.spec import Ask, Work
from shoal.sim.classes import kind_of, kinds_of

Residues = tuple[int, ...]


class _Alike(NamedTuple):
    """Classes that differ in CPU alone: what each asks of it, rising, and weights summed up."""

    kind: int
    cards: int
    milli: int
    cpus: list[int]
    typical: list[int]
    weights: list[int]


class Fragmentation:
    """Looks at nodes: in all for the ``typical`` work, and for each kind of all ``works``.

    ``weight`` is the sum of the weights of typical work; ``kinds`` has that of each kind.
    """

    def __init__(self, works: Sequence[Work], typical: Sequence[Work], models: int) -> None:
        self.weight = sum(work.weight for work in typical)
        self.kinds = {
            kind: sum(work.weight for work in works if kind_of(work.ask) == kind)
            for kind in kinds_of(work.ask for work in works)
        }
        counted = {work.ask: work.weight for work in typical}
        self._alike = [self._usable_on(works, counted, model) for model in range(models)]
        self._known: dict[tuple[int, int, Residues], tuple[int, ...]] = {}

    def of(self, model: int, cpu: int, residues: Residues) -> tuple[int, ...]:
        """Of a node with so much CPU and of each card left: in all, then by kind of work."""
        key = (model, cpu, residues)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look(model, cpu, residues)
        return known

    def _look(self, model: int, cpu: int, residues: Residues) -> tuple[int, ...]:
        idle = sum(residues)
        unusable = idle * self.weight
        by_kind = [idle * weight for weight in self.kinds.values()]
        for kind, cards, milli, cpus, typical, weights in self._alike[model]:
            fitting = [left for left in residues if left >= milli]
            if len(fitting) >= cards:
                usable, fit = sum(fitting), bisect_right(cpus, cpu)
                unusable -= usable * typical[fit]
                by_kind[kind] -= usable * weights[fit]
        return unusable, *by_kind

    def _usable_on(
        self, works: Sequence[Work], counted: Mapping[Ask, int], model: int
    ) -> list[_Alike]:
        groups: dict[tuple[int, int], list[Work]] = {}
        for work in works:
            if work.ask.count and work.ask.allows(model):
                groups.setdefault((work.ask.count, work.ask.milli), []).append(work)
        return [self._as_one(group, counted) for group in groups.values()]

    def _as_one(self, group: list[Work], counted: Mapping[Ask, int]) -> _Alike:
        group.sort(key=lambda work: work.ask.cpu)
        one = group[0].ask
        typical = accumulate((counted.get(work.ask, 0) for work in group), initial=0)
        weights = accumulate((work.weight for work in group), initial=0)
        cpus = [work.ask.cpu for work in group]
        kind = list(self.kinds).index(kind_of(one))
        return _Alike(kind, one.count, one.milli, cpus, list(typical), list(weights))

"""What a run is told by: allocation and fragmentation at each percent of arrived load, counts."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from shoal.core.engine.spec import Place, cards_of
from shoal.sim.classes import kind_of
from shoal.sim.fragment import Fragmentation, Residues
from shoal.sim.run import Run
from shoal.sim.trace import Trace, TracePod
from shoal.units.gpu import WHOLE

Curve = tuple[float, ...]
"""A value at each percent of arrived load, from 0 on."""


class Record(msgspec.Struct, frozen=True):
    """One run in figures. All curves are percent of all cards.

    ``by_kind`` is what is idle and of no use to work of one kind. ``arrived`` and ``held`` count
    pods by kind.
    """

    seed: int
    allocation: Curve
    fragmentation: Curve
    by_kind: dict[str, Curve]
    placed: int
    refused: dict[str, int]
    arrived: dict[str, int]
    held: dict[str, int]
    cpu_seconds: float


def record(trace: Trace, run: Run, load: int, fragmentation: Fragmentation) -> Record:
    """Look at a run again, arrival by arrival. ``load`` is in thousandths of all cards.

    As in the published figures the value at a percent is the mean over all arrivals after which
    the arrived load rounds to it; where there is none it stays what it was.
    """
    room = _Room(trace, fragmentation)
    samples: list[list[tuple[int, ...]]] = [[] for _ in range(load // 10 + 1)]
    arrived, before = 0, room.state
    for pod, place in zip(run.arrivals.pods, run.places, strict=True):
        asking = trace.pods[pod]
        arrived += asking.asked
        if place is not None:
            room.take(place, asking)
        percent = (200 * arrived + trace.capacity) // (2 * trace.capacity)
        if percent < len(samples):
            samples[percent].append(room.state)
    return _told(trace, run, fragmentation, _means(samples, before))


class _Room:
    """What is left on each node. ``state`` is milli-card in use, then what is unusable in all,
    then to each kind of work."""

    def __init__(self, trace: Trace, fragmentation: Fragmentation) -> None:
        self._nodes = trace.nodes
        self._look = fragmentation.of
        self._cpu = [node.cpu for node in trace.nodes]
        self._cards: list[Residues] = [(WHOLE,) * node.cards for node in trace.nodes]
        unusable = (self._unusable(at) for at in range(len(trace.nodes)) if self._cards[at])
        self.state: tuple[int, ...] = (0, *map(sum, zip(*unusable, strict=True)))

    def take(self, place: Place, pod: TracePod) -> None:
        if not self._cards[place.node]:
            return
        before, cards = self._unusable(place.node), list(self._cards[place.node])
        for card in cards_of(place.cards):
            cards[card] -= pod.milli
        self._cards[place.node] = tuple(cards)
        self._cpu[place.node] -= pod.cpu
        after = self._unusable(place.node)
        used, *parts = self.state
        changed = map(sum, zip(parts, after, (-part for part in before), strict=True))
        self.state = (used + pod.asked, *changed)

    def _unusable(self, node: int) -> tuple[int, ...]:
        residues = tuple(sorted(self._cards[node]))
        return self._look(self._nodes[node].model, self._cpu[node], residues)


def _means(samples: list[list[tuple[int, ...]]], before: tuple[int, ...]) -> list[list[float]]:
    """By percent the mean of each number of the state."""
    means, last = [], [float(each) for each in before]
    for states in samples:
        if states:
            last = [sum(each) / len(states) for each in zip(*states, strict=True)]
        means.append(last)
        last = [float(each) for each in states[-1]] if states else last
    return means


def _told(trace: Trace, run: Run, fragmentation: Fragmentation, means: list[list[float]]) -> Record:
    used, unusable, *by_kind = zip(*means, strict=True)
    kinds = [kind_of(trace.pods[pod].ask) for pod in run.arrivals.pods]
    held = [kind for kind, place in zip(kinds, run.places, strict=True) if place is not None]
    capacity = trace.capacity
    return Record(
        seed=run.arrivals.seed,
        allocation=_percent(used, capacity),
        fragmentation=_percent(unusable, capacity * fragmentation.weight),
        by_kind={
            kind: _percent(part, capacity * of_kind)
            for (kind, of_kind), part in zip(fragmentation.kinds.items(), by_kind, strict=True)
        },
        placed=len(held),
        refused=dict(Counter(run.refusals.values()).most_common()),
        arrived=dict(Counter(kinds)),
        held=dict(Counter(held)),
        cpu_seconds=run.cpu_ns / 1e9,
    )


def _percent(values: Iterable[float], whole: int) -> Curve:
    return tuple(round(100 * value / whole, 2) for value in values)

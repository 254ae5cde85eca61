"""A run in which pods end: what finds no place waits, and is tried again when something ends.

First come, first served as far as it fits: whenever something ends, the waiting pods are tried
in the order in which they came, and one that still does not fit keeps nobody else waiting.
"""

import heapq
import time
from collections import deque

import msgspec

from shoal.core.engine.engine import Engine
from shoal.core.engine.spec import Ask, Place, cards_of
from shoal.sim.classes import never
from shoal.sim.prepare import Prepared, engine_for
from shoal.sim.timed import Coming, Timed
from shoal.sim.trace import Trace


class Stays(msgspec.Struct, frozen=True):
    """Of each arrival when it started, in ms, and where; None: it never did.

    ``hopeless`` are the arrivals that no node can ever hold. ``cpu_ns`` is the CPU time of the
    whole run but for its set-up: placing, ending, trying again.
    """

    timed: Timed
    started: tuple[int | None, ...]
    places: tuple[Place | None, ...]
    hopeless: frozenset[int]
    cpu_ns: int


def run_with_departures(trace: Trace, prepared: Prepared, timed: Timed) -> Stays:
    """Place pods as they come until the last has come."""
    classes = prepared.classes
    numbers = [classes.numbers[coming.pod] for coming in timed.comings]
    hopeless = never(trace, classes.asks)
    engine = engine_for(trace, prepared, timed.ranks, timed.seed)
    cluster = _Cluster(engine, classes.asks, timed.comings, numbers)
    since = time.process_time_ns()
    for at, coming in enumerate(timed.comings):
        cluster.end_until(coming.at)
        if numbers[at] not in hopeless:
            cluster.come(at)
    spent = time.process_time_ns() - since
    lost = frozenset(at for at, number in enumerate(numbers) if number in hopeless)
    return Stays(timed, tuple(cluster.started), tuple(cluster.places), lost, spent)


class _Cluster:
    """What runs, what waits (by class, in the order of arrival), and what ends when."""

    def __init__(
        self,
        engine: Engine,
        asks: tuple[Ask, ...],
        comings: tuple[Coming, ...],
        numbers: list[int],
    ) -> None:
        self._engine = engine
        self._asks = asks
        self._comings = comings
        self._numbers = numbers
        self._waiting: dict[int, deque[int]] = {}
        self._ends: list[tuple[int, int]] = []
        self.started: list[int | None] = [None] * len(comings)
        self.places: list[Place | None] = [None] * len(comings)

    def come(self, at: int) -> None:
        """Start at once, or wait behind those of the same class."""
        number = self._numbers[at]
        if number in self._waiting or not self._start(at, self._comings[at].at):
            self._waiting.setdefault(number, deque()).append(at)

    def end_until(self, now: int) -> None:
        """End what ends up to now, and each time try those that wait."""
        while self._ends and self._ends[0][0] <= now:
            moment = self._ends[0][0]
            while self._ends and self._ends[0][0] == moment:
                self._release(heapq.heappop(self._ends)[1])
            self._try_waiting(moment)

    def _try_waiting(self, now: int) -> None:
        heads = [(queue[0], number) for number, queue in self._waiting.items()]
        heapq.heapify(heads)
        while heads:
            at, number = heapq.heappop(heads)
            if not self._start(at, now):
                continue
            queue = self._waiting[number]
            queue.popleft()
            if queue:
                heapq.heappush(heads, (queue[0], number))
            else:
                del self._waiting[number]

    def _start(self, at: int, now: int) -> bool:
        place = self._engine.place_one(self._numbers[at])
        if place is None:
            return False
        self._engine.commit()
        self.started[at], self.places[at] = now, place
        lives = self._comings[at].lives
        if lives is not None:
            heapq.heappush(self._ends, (now + lives, at))
        return True

    def _release(self, at: int) -> None:
        ask, place = self._asks[self._numbers[at]], self.places[at]
        assert place is not None, "what ends has started"
        for card in cards_of(place.cards):
            self._engine.take_card(place.node, card, -ask.milli, -ask.mib, users=-1)
        self._engine.take_node(place.node, -ask.cpu, -ask.memory)
        self._engine.commit()

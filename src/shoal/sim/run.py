"""One run: pods arrive one after the other, and each is placed at once or refused for good."""

import time
from typing import Final

import msgspec

from shoal.core.engine.engine import Engine
from shoal.core.engine.spec import Lack, Place
from shoal.sim.arrivals import Arrivals, arrivals_of
from shoal.sim.classes import never
from shoal.sim.online import LESSONS, teach
from shoal.sim.prepare import Prepared, engine_for
from shoal.sim.trace import Trace

NEVER: Final = "never"
"""Why a pod is refused that no node can ever hold."""
_OF_THE_NODE_ITSELF: Final = frozenset({Lack.NOTHING, Lack.SUITED, Lack.MODEL})


class Run(msgspec.Struct, frozen=True):
    """What came of each arrival: its place, or None and the reason in ``refusals`` by index.

    ``cpu_ns`` is the CPU time of the placements alone.
    """

    arrivals: Arrivals
    places: tuple[Place | None, ...]
    refusals: dict[int, str]
    cpu_ns: int


def run(trace: Trace, prepared: Prepared, load: int, seed: int) -> Run:
    """Place the pods of a trace until ``load`` thousandths of all cards were asked for."""
    arrivals = arrivals_of(trace, load, seed)
    engine = engine_for(trace, prepared, arrivals.ranks, seed)
    return _placed(engine, trace, prepared, arrivals)


def reason_of(engine: Engine, number: int) -> str:
    """What keeps a class off most of the nodes that have cards of an allowed model."""
    tally = engine.tally(number)
    busy = [lack for lack in Lack if tally[lack] and lack not in _OF_THE_NODE_ITSELF]
    most = max(busy, key=tally.__getitem__, default=Lack.MODEL)
    return most.name.lower().replace("_", "-")


def _placed(engine: Engine, trace: Trace, prepared: Prepared, arrivals: Arrivals) -> Run:
    classes, lessons = prepared.classes, LESSONS if prepared.online else frozenset()
    hopeless = never(trace, classes.asks)
    places: list[Place | None] = []
    refusals: dict[int, str] = {}
    numbers = [classes.numbers[pod] for pod in arrivals.pods]
    started, aside = time.process_time_ns(), 0
    for at, number in enumerate(numbers):
        if at in lessons:
            since = time.process_time_ns()
            teach(engine, trace, prepared.policy, [classes.asks[one] for one in numbers[:at]])
            aside += time.process_time_ns() - since
        place = engine.place_one(number)
        places.append(place)
        if place is None:
            since = time.process_time_ns()
            refusals[at] = NEVER if number in hopeless else reason_of(engine, number)
            aside += time.process_time_ns() - since
        else:
            engine.commit()
    spent = time.process_time_ns() - started - aside
    return Run(arrivals, tuple(places), refusals, spent)

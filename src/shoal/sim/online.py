"""When nothing is known of a trace before: a vague mix first, then what has arrived so far.

The lessons come at fixed counts of arrivals. They are told between two placements and learnt off
the placement path, as a live scheduler would on another core, so no run counts their time.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from shoal.core.engine.engine import Engine
from shoal.core.engine.learn import learn
from shoal.core.engine.policy import Policy
from shoal.core.engine.spec import Ask, Work
from shoal.sim.trace import Trace
from shoal.units.gpu import WHOLE

LESSONS: Final = frozenset({20, 50, 100, 200, 400, 800, 1600, 3200, 6400})
"""After so many arrivals what has arrived is told."""
_LEARNT_FROM: Final = 100
"""Fewer arrivals tell too little to learn a table of worths from."""
_ARRIVAL: Final = 4
"""What one arrival weighs beside one class of the vague mix."""
_SHARES: Final = (
    (1, 250), (1, 500), (1, 750), (1, WHOLE), (1, WHOLE), (2, WHOLE), (4, WHOLE), (8, WHOLE),
)  # fmt: skip
"""Cards and milli-card of the vague mix, equally frequent; whole cards come twice."""
_CPU_PART: Final = 2
"""In the vague mix half of the CPU that there is for each card is asked for with it."""


def vague_work(trace: Trace) -> list[Work]:
    """Work that might come to any cluster with such nodes."""
    cards = trace.capacity // WHOLE
    cpu = sum(node.cpu for node in trace.nodes if node.cards) // cards // _CPU_PART
    asks = (Ask(cpu * count * milli // WHOLE, 0, count, milli) for count, milli in _SHARES)
    return [Work(ask, weight) for ask, weight in Counter(asks).items()]


def teach(engine: Engine, trace: Trace, policy: Policy, arrived: Sequence[Ask]) -> None:
    """Tell the engine what has arrived so far."""
    works = _work_of(trace, arrived)
    engine.set_work(works)
    if policy is Policy.IDLE_VALUE and len(arrived) >= _LEARNT_FROM:
        nodes = [node.spec for node in trace.nodes]
        engine.set_worth(learn(nodes, len(trace.models), works, len(arrived)))


def _work_of(trace: Trace, arrived: Sequence[Ask]) -> list[Work]:
    weights = Counter({work.ask: work.weight for work in vague_work(trace)})
    for ask, count in Counter(arrived).items():
        weights[Ask(ask.cpu, 0, ask.count, ask.milli, models=ask.models)] += _ARRIVAL * count
    return [Work(ask, weight) for ask, weight in weights.items()]

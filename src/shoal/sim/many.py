"""The same over several seeds, and what they say together."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from shoal.core.engine.policy import Policy
from shoal.sim.classes import Typical, work_of
from shoal.sim.departures import run_with_departures
from shoal.sim.fragment import Fragmentation
from shoal.sim.prepare import prepare
from shoal.sim.record import Curve, Record, record
from shoal.sim.run import run
from shoal.sim.stays import StayRecord, stay_record
from shoal.sim.timed import as_recorded, stream
from shoal.sim.trace import Trace


class Spread(NamedTuple):
    """A mean, and the standard deviation of one value; 0 of a single one."""

    mean: float
    deviation: float


def run_seeds(
    trace: Trace, policy: Policy, load: int, seeds: Iterable[int], *, online: bool = False
) -> Iterator[Record]:
    """One record a seed. Fragmentation is told for the mix behind the published figures."""
    fragmentation = Fragmentation(
        work_of(trace, Typical.ALL), work_of(trace, Typical.PUBLISHED), len(trace.models)
    )
    prepared = prepare(trace, policy, online=online)
    for seed in seeds:
        yield record(trace, run(trace, prepared, load, seed), load, fragmentation)


def run_seeds_with_departures(
    trace: Trace, policy: Policy, load: int | None, seeds: Iterable[int]
) -> Iterator[StayRecord]:
    """One record a seed; without a load the trace at its own times."""
    prepared = prepare(trace, policy)
    for seed in seeds:
        timed = as_recorded(trace, seed) if load is None else stream(trace, load, seed)
        yield stay_record(trace, run_with_departures(trace, prepared, timed))


def spread_of(values: Sequence[float]) -> Spread:
    """What the values have in common."""
    mean = sum(values) / len(values)
    if len(values) == 1:
        return Spread(mean, 0.0)
    squares = sum((value - mean) ** 2 for value in values)
    return Spread(mean, math.sqrt(squares / (len(values) - 1)))


def mean_curve(curves: Sequence[Curve]) -> Curve:
    """The mean at each percent."""
    return tuple(sum(values) / len(values) for values in zip(*curves, strict=True))

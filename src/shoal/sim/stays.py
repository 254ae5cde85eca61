"""What a run with departures is told by: cards in use, and how long pods waited."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

import msgspec

from shoal.sim.departures import Stays
from shoal.sim.run import NEVER
from shoal.sim.trace import Trace

WAITING: Final = "waiting"
"""Why a pod had no place: it still waits when the last one comes."""
_SECOND: Final = 1000
_POINTS: Final = 400
"""At so many moments cards in use are told."""


class Waits(msgspec.Struct, frozen=True):
    """Seconds that pods waited, those that still wait among them."""

    mean: float
    p50: float
    p95: float
    most: float


class StayRecord(msgspec.Struct, frozen=True):
    """One run in figures, from the first arrival to the last.

    ``utilisation`` is the mean of cards in use and ``wanted`` of those that would be, if nobody
    waited, both in percent of all. ``in_use`` has by owner the cards in use at ``moments`` (s).
    """

    seed: int
    utilisation: float
    wanted: float
    waits: Waits
    placed: int
    refused: dict[str, int]
    cpu_seconds: float
    moments: tuple[float, ...]
    in_use: dict[str, tuple[float, ...]]


def stay_record(trace: Trace, stays: Stays) -> StayRecord:
    """Look at a run again."""
    comings, started = stays.timed.comings, stays.started
    first, last = comings[0].at, max(comings[-1].at, comings[0].at + 1)
    refused = {
        NEVER: len(stays.hopeless),
        WAITING: started.count(None) - len(stays.hopeless),
    }
    return StayRecord(
        seed=stays.timed.seed,
        utilisation=_mean_use(trace, stays, started, first, last),
        wanted=_mean_use(trace, stays, [coming.at for coming in comings], first, last),
        waits=_waits(stays, last),
        placed=len(started) - started.count(None),
        refused={reason: count for reason, count in refused.items() if count},
        cpu_seconds=stays.cpu_ns / 1e9,
        moments=tuple((first + (last - first) * at / _POINTS) / _SECOND for at in range(_POINTS)),
        in_use=_in_use(trace, stays, first, last),
    )


def _mean_use(
    trace: Trace, stays: Stays, starts: Sequence[int | None], first: int, last: int
) -> float:
    used = sum(
        trace.pods[coming.pod].asked * (_end(start, coming.lives, last) - start)
        for coming, start in zip(stays.timed.comings, starts, strict=True)
        if start is not None
    )
    return round(100 * used / (trace.capacity * (last - first)), 2)


def _end(start: int, lives: int | None, last: int) -> int:
    return last if lives is None else min(start + lives, last)


def _waits(stays: Stays, last: int) -> Waits:
    waits = sorted(
        (last if start is None else start) - coming.at
        for at, (coming, start) in enumerate(zip(stays.timed.comings, stays.started, strict=True))
        if at not in stays.hopeless
    ) or [0]

    def part(percent: int) -> float:
        return waits[(len(waits) - 1) * percent // 100] / _SECOND

    mean = round(sum(waits) / len(waits) / _SECOND, 3)
    return Waits(mean, part(50), part(95), part(100))


def _in_use(trace: Trace, stays: Stays, first: int, last: int) -> dict[str, tuple[float, ...]]:
    """By owner, the largest first."""
    changes: dict[str, Counter[int]] = {}
    for coming, start in zip(stays.timed.comings, stays.started, strict=True):
        pod = trace.pods[coming.pod]
        if start is None or not pod.asked:
            continue
        owner = changes.setdefault(pod.owner or "all", Counter())
        owner[_point(start, first, last)] += pod.asked
        owner[_point(_end(start, coming.lives, last), first, last)] -= pod.asked
    curves = {owner: tuple(_sums(by_point)) for owner, by_point in changes.items()}
    return dict(sorted(curves.items(), key=lambda each: -sum(each[1])))


def _point(moment: int, first: int, last: int) -> int:
    """The first moment told that is not before it."""
    return -(-(moment - first) * _POINTS // (last - first))


def _sums(changes: "Counter[int]") -> Iterable[float]:
    return (each / 1000 for each in accumulate(changes[at] for at in range(_POINTS)))

"""When pods arrive and how long they hold their place, for runs in which pods end.

Two ways: as the trace has it, or as a stream at a load of one's own. Times are milliseconds.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

import msgspec

from shoal.sim.errors import TraceError
from shoal.sim.trace import Trace

_SECOND: Final = 1000


class Coming(msgspec.Struct, frozen=True):
    """An arrival: when, which pod of the trace, and how long it lives; None: to the end."""

    at: int
    pod: int
    lives: int | None


class Timed(msgspec.Struct, frozen=True):
    """Arrivals in the order of time; ``ranks`` tells by node which comes first among equals."""

    seed: int
    comings: tuple[Coming, ...]
    ranks: tuple[int, ...]


def as_recorded(trace: Trace, seed: int) -> Timed:
    """Every pod once, at its own time. Raises TraceError where the trace tells no times."""
    comings = []
    for at, pod in enumerate(trace.pods):
        if pod.arrives is None:
            raise _untimed(trace)
        lives = None if pod.lives is None else pod.lives * _SECOND
        comings.append(Coming(pod.arrives * _SECOND, at, lives))
    comings.sort(key=lambda coming: coming.at)
    return Timed(seed, tuple(comings), _ranks(trace, _draw(seed)))


def stream(trace: Trace, load: int, seed: int) -> Timed:
    """Random pods of the trace, as many as it has, at random times.

    They come so often that ``load`` thousandths of all cards would be in use on average if none
    had to wait. So that this holds from the start on, those that would be running then come
    first, at time 0: drawn by how long they live, with a random part of it to go. Raises
    TraceError where the trace tells no times.
    """
    draw = _draw(seed)
    lives = [(pod.lives or 0) * _SECOND for pod in trace.pods]
    held = sum(pod.asked * life for pod, life in zip(trace.pods, lives, strict=True))
    if not held:
        raise _untimed(trace)
    target = trace.capacity * load // 1000
    there = list(_running(trace, lives, target, draw))
    a_pod_every = held / len(trace.pods) / target
    comings = [*there, *_coming(lives, a_pod_every, draw)]
    return Timed(seed, tuple(comings), _ranks(trace, draw))


def _running(
    trace: Trace, lives: Sequence[int], target: int, draw: random.Random
) -> Iterator[Coming]:
    asked, summed = 0, list(accumulate(lives))
    while asked < target:
        (pod,) = draw.choices(range(len(lives)), cum_weights=summed)
        yield Coming(0, pod, draw.randint(1, lives[pod]))
        asked += trace.pods[pod].asked


def _coming(lives: Sequence[int], a_pod_every: float, draw: random.Random) -> Iterator[Coming]:
    now = 0.0
    for _ in lives:
        now += draw.expovariate(1 / a_pod_every)
        pod = draw.randrange(len(lives))
        yield Coming(round(now), pod, lives[pod])


def _draw(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - to be repeated, not to be secret


def _ranks(trace: Trace, draw: random.Random) -> tuple[int, ...]:
    ranks = list(range(len(trace.nodes)))
    draw.shuffle(ranks)
    return tuple(ranks)


def _untimed(trace: Trace) -> TraceError:
    return TraceError(
        f"{trace.name} does not tell when its pods came and ended; departures need the columns "
        "creation_time and deletion_time"
    )

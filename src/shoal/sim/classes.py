"""Requests as classes, and the work that a policy is told to expect."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from shoal.core.engine.spec import Ask, Work
from shoal.sim.trace import Trace, TracePod
from shoal.units.gpu import WHOLE

NO_CARD: Final = "no card"
PART: Final = "part of a card"
_COVERED_PERCENT: Final = 95


class Typical(StrEnum):
    """Which of a trace's work is expected."""

    ALL = "all"
    """Every class, as often as it is there."""
    PUBLISHED = "published"
    """The most frequent, until they are 95 % of the pods: the cut behind the published figures."""


class Classes(msgspec.Struct, frozen=True):
    """Requests that are alike share a number: ``asks`` by number, ``numbers`` by pod."""

    asks: tuple[Ask, ...]
    numbers: tuple[int, ...]


def classes_of(pods: Iterable[TracePod]) -> Classes:
    """The classes in the order in which they come."""
    found: dict[Ask, int] = {}
    numbers = tuple(found.setdefault(pod.ask, len(found)) for pod in pods)
    return Classes(tuple(found), numbers)


def never(trace: Trace, asks: Sequence[Ask]) -> frozenset[int]:
    """The numbers of classes that no node can hold, even with nothing on it."""
    kinds = {(node.cpu, node.memory, node.cards, node.model) for node in trace.nodes}
    return frozenset(
        number for number, ask in enumerate(asks) if not any(_holds(ask, *kind) for kind in kinds)
    )


def work_of(trace: Trace, typical: Typical) -> list[Work]:
    """The work to expect; memory does not count in it, since no policy weighs it."""
    if typical is Typical.PUBLISHED:
        return _published(trace)
    counts = Counter(_without_memory(pod) for pod in trace.pods)
    return _as_work(counts)


def kind_of(ask: Ask) -> str:
    """The kind that pictures and tables tell apart: by the cards asked for."""
    if not ask.count:
        return NO_CARD
    if ask.milli < WHOLE:
        return PART
    return "1 card" if ask.count == 1 else f"{ask.count} cards"


def kinds_of(asks: Iterable[Ask]) -> list[str]:
    """The kinds that are there, from the least to the most."""
    sizes = {kind_of(ask): ask.count * ask.milli // WHOLE * WHOLE + bool(ask.count) for ask in asks}
    return sorted(sizes, key=sizes.__getitem__)


def _holds(ask: Ask, cpu: int, memory: int, cards: int, model: int) -> bool:
    room = ask.cpu <= cpu and ask.memory <= memory and ask.count <= cards
    return room and (not ask.count or ask.allows(model))


def _published(trace: Trace) -> list[Work]:
    """Equally frequent classes: the larger first, models compared as they are written."""
    counts = Counter(_without_memory(pod) for pod in trace.pods)

    def order(pod: TracePod) -> tuple[int, int, int, int, str]:
        spec = "|".join(trace.models[model] for model in pod.models)
        return counts[pod], pod.cpu, pod.milli, pod.cards, spec

    kept: list[TracePod] = []
    covered = 0
    for pod in sorted(counts, key=order, reverse=True):
        if covered * 100 >= _COVERED_PERCENT * len(trace.pods):
            break
        kept.append(pod)
        covered += counts[pod]
    return _as_work({pod: counts[pod] for pod in kept})


def _as_work(counts: Mapping[TracePod, int]) -> list[Work]:
    """A model may be written twice, so different pods may ask alike."""
    alike: Counter[Ask] = Counter()
    for pod, count in counts.items():
        alike[pod.ask] += count
    return [Work(ask, count) for ask, count in alike.items()]


def _without_memory(pod: TracePod) -> TracePod:
    return TracePod("", pod.cpu, 0, pod.cards, pod.milli, pod.models)

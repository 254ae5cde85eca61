"""Which room is kept for whom, worked out from the work that is expected.

A kind of work that can use only little of what is free (many whole cards of one node, large
parts of one card, few models) would find nothing left if work that can go anywhere took it. See
``native/placement/reserve.h`` for when a reserve is tight and what that does.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

import msgspec

from shoal.core.engine.spec import Ask, Work
from shoal.core.engine.worth import WORTH_UNIT

_ROOM_FINE: Final = WORTH_UNIT
"""For each milli-card of a room for several cards: nothing is worth more than such a room."""
_SLOT_FINE: Final = WORTH_UNIT // 10
"""For each milli-card of a card with a large part free."""
_MODEL_FINE: Final = WORTH_UNIT * 3 // 10
"""For each milli-card of a scarce model."""
_CPU_FINE: Final = WORTH_UNIT * 300
"""For room for work without cards: as much as three tenths of a card."""
_SPREADS, _CPU_SPREADS = 2, 5
_SELDOM: Final = 20
"""CPU that less than one in so many asks for is not kept."""
_LARGE: Final = 500
"""Parts of a card above this fit on it once."""


class Reserve(msgspec.Struct, frozen=True):
    """Room for ``count`` cards with ``milli`` each and ``cpu``; with neither, of ``models``.

    Of ``demand_of`` milli-card that are asked for, ``demand`` such rooms (or milli-card) are;
    ``alone`` milli-card for just these models. ``spreads`` is how many standard deviations of
    what is expected are provided for.
    ``fine`` is what a room (or a milli-card) costs, in 1/64 milli-card. ``models`` are those
    whose nodes have it; None means any.
    """

    count: int
    milli: int
    cpu: int
    demand: int
    demand_of: int
    alone: int
    spreads: int
    fine: int
    models: frozenset[int] | None

    @property
    def numbers(self) -> tuple[int, ...]:
        """All but the models, in order."""
        demand = (self.demand, self.demand_of, self.alone, self.spreads)
        return (self.count, self.milli, self.cpu, *demand, self.fine)


def reserves_of(works: Sequence[Work]) -> list[Reserve]:
    """The reserves for a mix of work."""
    asked = sum(work.weight * work.ask.count * work.ask.milli for work in works)
    if not asked:
        return []
    found = [
        *_rooms(works, asked),
        *_slots(works, asked),
        *_models(works, asked),
        *_cpus(works, asked),
    ]
    return list(dict.fromkeys(found))


def _rooms(works: Sequence[Work], asked: int) -> Iterable[Reserve]:
    several = [work for work in works if work.ask.count > 1]
    for ask in (work.ask for work in several):
        cards = sum(work.weight * work.ask.count for work in several if _as_hard(work.ask, ask))
        fine = _ROOM_FINE * ask.count * ask.milli
        yield Reserve(
            ask.count, ask.milli, ask.cpu, cards, asked * ask.count, 0, _SPREADS, fine, ask.models
        )


def _slots(works: Sequence[Work], asked: int) -> Iterable[Reserve]:
    with_cards = [work for work in works if work.ask.count]
    for milli in sorted({work.ask.milli for work in with_cards if work.ask.milli > _LARGE}):
        cards = sum(work.weight * work.ask.count for work in with_cards if work.ask.milli >= milli)
        yield Reserve(1, milli, 0, cards, asked, 0, _SPREADS, _SLOT_FINE * milli, None)


def _models(works: Sequence[Work], asked: int) -> Iterable[Reserve]:
    asked_of: dict[frozenset[int], int] = {}
    for work in works:
        if work.ask.count and work.ask.models is not None:
            milli = work.weight * work.ask.count * work.ask.milli
            asked_of[work.ask.models] = asked_of.get(work.ask.models, 0) + milli
    sets = set(asked_of)
    sets |= {one | other for one, other in combinations(sets, 2) if one & other}
    for models in sorted(sets, key=sorted):
        demand = sum(milli for each, milli in asked_of.items() if each <= models)
        alone = asked_of.get(models, 0)
        yield Reserve(0, 0, 0, demand, asked, alone, _SPREADS, _MODEL_FINE, models)


def _cpus(works: Sequence[Work], asked: int) -> Iterable[Reserve]:
    without_cards = [work for work in works if not work.ask.count and work.ask.cpu]
    often: Counter[int] = Counter()
    for work in without_cards:
        often[work.ask.cpu] += work.weight
    for cpu in sorted(often):
        if often[cpu] * _SELDOM < often.total():
            continue
        rooms = sum(work.weight * (work.ask.cpu // cpu) for work in without_cards)
        yield Reserve(0, 0, cpu, rooms, asked, 0, _CPU_SPREADS, _CPU_FINE, None)


def _as_hard(ask: Ask, other: Ask) -> bool:
    """Whether what the ask needs is at least as hard to find as what the other needs."""
    narrower = other.models is None or (ask.models is not None and ask.models <= other.models)
    return ask.count >= other.count and ask.cpu >= other.cpu and narrower

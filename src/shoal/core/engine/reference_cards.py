"""Which cards of a node are taken, in plain Python: the oracle of ``links.c`` and ``gang.c``."""

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import TYPE_CHECKING

from shoal.core.engine.spec import Ask
from shoal.units.gpu import WHOLE

if TYPE_CHECKING:
    from shoal.core.engine.reference import Room


def choose_cards(room: "Room", ask: Ask, fitting: list[int]) -> int:
    """The set that is taken, as a mask; 0 where there is none."""
    if not ask.count:
        return 0
    if ask.one_numa:
        groups = [group for group in by_numa(room, fitting) if len(group) >= ask.count]
        fitting = min(groups, key=len, default=[])
    if len(fitting) < ask.count:
        return 0
    if not ask.whole:
        weigh = _times if ask.level else _left_over
        return _mask(_lightest(room, ask, fitting, weigh))
    if not room.spec.links:
        return _mask(fitting[: ask.count])
    sets = list(combinations(fitting, ask.count))
    return _mask(max(sets, key=lambda cards: (_quality(room, cards, fitting), -_mask(cards))))


def members_by_cards(room: "Room", ask: Ask, fitting: list[int], *, apart: bool) -> int:
    """How many members find their cards at the same time, found by trying."""
    groups = by_numa(room, fitting) if ask.one_numa else [fitting]
    return sum(_members(room, ask, group, apart=apart) for group in groups)


def by_numa(room: "Room", cards: Iterable[int]) -> list[list[int]]:
    """The cards by NUMA node, those of the first card first."""
    groups: dict[int, list[int]] = {}
    for card in cards:
        groups.setdefault(room.spec.cards[card].numa, []).append(card)
    return list(groups.values())


def _members(room: "Room", ask: Ask, fitting: list[int], *, apart: bool) -> int:
    """Gives each next member the cards that could serve most others, until that fails."""
    once = apart or ask.whole
    left = {card: 1 if once else -_times(room, ask, card) for card in fitting}
    members = 0
    while True:
        order = sorted(left, key=lambda card: -left[card])[: ask.count]
        if len(order) < ask.count or left[order[-1]] < 1:
            return members
        for card in order:
            left[card] -= 1
        members += 1


def _lightest(
    room: "Room", ask: Ask, fitting: list[int], weigh: Callable[["Room", Ask, int], int]
) -> list[int]:
    return sorted(fitting, key=lambda card: weigh(room, ask, card))[: ask.count]


def _left_over(room: "Room", ask: Ask, card: int) -> int:
    whole = room.spec.cards[card].mib
    memory = (int(room.mib[card]) - ask.memory_on(whole)) * WHOLE // whole if whole else 0
    return int(room.milli[card]) - ask.milli + memory


def _times(room: "Room", ask: Ask, card: int) -> int:
    """Less the number of such parts that the card could give."""
    each = ask.memory_on(room.spec.cards[card].mib)
    by_memory = int(room.mib[card]) // each if each else WHOLE
    return -min(by_memory, int(room.milli[card]) // ask.milli if ask.milli else by_memory)


def _quality(room: "Room", taken: Iterable[int], fitting: list[int]) -> tuple[int, int]:
    cards, count = tuple(taken), len(room.spec.cards)

    def widths(those: Iterable[int]) -> list[int]:
        return [room.spec.links[one * count + other] for one, other in combinations(those, 2)]

    rest = [card for card in fitting if card not in cards]
    return min(widths(cards), default=(1 << 63) - 1), sum(widths(rest))


def _mask(cards: Iterable[int]) -> int:
    return sum(1 << card for card in cards)

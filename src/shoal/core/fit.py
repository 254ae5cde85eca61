"""Feasible and rank by looking at one node: for members with several shares, which an engine
does not know, and for a search that tries other cards than the best.

Best fit: what is left over on the cards taken is least, then what is left on the node.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final, NamedTuple

from shoal.core.classes import allows
from shoal.core.room import NodeRoom
from shoal.core.shape import MemberShape
from shoal.units.gpu import WHOLE, Share

Cards = tuple[tuple[int, ...], ...]
"""For each share of a member, the indices of the cards that it gets."""

_MOST_TRIES: Final = 5_000
"""Sets of cards looked at for one member on one node: bounds what many claims of a pod cost."""


class Candidate(NamedTuple):
    """A node that a member fits on; the least one is the best. What is left is after placing."""

    cards_left: int
    node_left: int
    cpu_left: int
    memory_left: int
    node: str
    cards: Cards


def candidate(room: NodeRoom, shape: MemberShape) -> Candidate | None:
    """A node that suits the member as a candidate; None if it does not fit there."""
    cpu, memory = room.cpu_left - shape.cpu_milli, room.memory_left - shape.memory_mib
    if (cpu < 0 and shape.cpu_milli) or (memory < 0 and shape.memory_mib):
        return None
    cards = best_cards(room, shape)
    if cards is None:
        return None
    milli = sum(room.milli_left) - sum(share.count * share.milli for share in shape.shares)
    return Candidate(_over_all(room, shape, cards), milli, cpu, memory, room.name, cards)


def best_cards(room: NodeRoom, shape: MemberShape) -> Cards | None:
    """The best cards of the node for the member's shares, whatever CPU and memory are left."""
    return next(card_choices(room, shape), None)


def card_choices(room: NodeRoom, shape: MemberShape) -> Iterator[Cards]:
    """All ways to give the member's shares cards of the node, the best fit first (bounded).

    The node may change once the first is given: it is not looked at again.
    """
    left = room.copy() if len(shape.shares) > 1 else room
    return _choose(left, shape, (), iter(range(_MOST_TRIES)))


def _choose(
    left: NodeRoom, shape: MemberShape, done: Cards, tries: Iterator[int]
) -> Iterator[Cards]:
    if len(done) == len(shape.shares):
        yield done
        return
    share = shape.shares[len(done)]
    needs = _needs(left, share)
    fitting = _fitting(left, share, needs)
    if len(fitting) < share.count:
        return
    if shape.level:
        fitting.sort(key=lambda card: -_times(left, card, needs[card], share.milli))
    else:
        fitting.sort(key=lambda card: _over(left, card, needs[card], share.milli))
    last = len(done) == len(shape.shares) - 1
    for cards in combinations(fitting, share.count):
        if next(tries, None) is None:
            return
        if last:
            yield (*done, cards)
            continue
        _take(left, cards, needs, share.milli)
        yield from _choose(left, shape, (*done, cards), tries)
        _take(left, cards, needs, share.milli, -1)


def _needs(room: NodeRoom, share: Share) -> list[int]:
    """MiB that the share takes of each card; below 0 where the model will not do."""
    by_kind = [
        share.memory_on(mib) if allows(share.models, model) else _WRONG_MODEL
        for model, mib in room.kinds
    ]
    return [by_kind[kind] for kind in room.kind_of]


def _fitting(room: NodeRoom, share: Share, needs: list[int]) -> list[int]:
    mib, milli, users, barred = room.mib_left, room.milli_left, room.users, room.barred
    whole = share.whole
    return [
        card
        for card, need in enumerate(needs)
        if mib[card] >= need > _WRONG_MODEL
        and milli[card] >= share.milli
        and not barred[card]
        and not (whole and users[card])
    ]


def _over_all(room: NodeRoom, shape: MemberShape, cards: Cards) -> int:
    left = room.copy() if len(shape.shares) > 1 else room
    over = 0
    for share, taken in zip(shape.shares, cards, strict=True):
        needs = _needs(room, share)
        over += sum(_over(left, card, needs[card], share.milli) for card in taken)
        if left is not room:
            _take(left, taken, needs, share.milli)
    return over


def _over(room: NodeRoom, card: int, mib: int, milli: int) -> int:
    """What would be left over on a card: thousandths of compute plus those of memory."""
    whole = room.cards[card].memory_mib
    memory = (room.mib_left[card] - mib) * WHOLE // whole if whole else 0
    return room.milli_left[card] - milli + memory


def _times(room: NodeRoom, card: int, mib: int, milli: int) -> int:
    """How many such shares a card could still give."""
    by_memory = room.mib_left[card] // mib if mib else WHOLE
    return min(by_memory, room.milli_left[card] // milli) if milli else by_memory


def _take(
    room: NodeRoom, cards: tuple[int, ...], needs: list[int], milli: int, sign: int = 1
) -> None:
    for card in cards:
        room.mib_left[card] -= sign * needs[card]
        room.milli_left[card] -= sign * milli
        room.users[card] += sign


_WRONG_MODEL: Final = -1

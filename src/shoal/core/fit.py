"""Feasible and rank for one node: whether a member fits there, on which cards, and how well.

Best fit: what is left over on the cards taken is least, then what is left on the node.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from shoal.core.cluster import NodeRoom
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


class _Left:
    """A copy of what is left of one node's cards, to try sets of cards on."""

    def __init__(self, room: NodeRoom) -> None:
        self.room = room
        self.mib = room.mib_left.copy()
        self.milli = room.milli_left.copy()
        self.users = room.users.copy()

    def fits(self, card: int, share: Share) -> bool:
        facts = self.room.cards[card]
        if self.room.barred[card] or not allows(share.models, facts.model):
            return False
        if share.whole and self.users[card]:
            return False
        return self.milli[card] >= share.milli and self.mib[card] >= share.memory_on(
            facts.memory_mib
        )

    def over(self, card: int, share: Share) -> int:
        """What would be left over on a card: thousandths of compute plus those of memory."""
        whole = self.room.cards[card].memory_mib
        left = self.mib[card] - share.memory_on(whole)
        return self.milli[card] - share.milli + (left * WHOLE // whole if whole else 0)

    def times(self, card: int, share: Share) -> int:
        """How many such shares a card could still give."""
        mib = share.memory_on(self.room.cards[card].memory_mib)
        by_memory = self.mib[card] // mib if mib else WHOLE
        return min(by_memory, self.milli[card] // share.milli) if share.milli else by_memory

    def take(self, cards: tuple[int, ...], share: Share, sign: int = 1) -> None:
        for card in cards:
            self.mib[card] -= sign * share.memory_on(self.room.cards[card].memory_mib)
            self.milli[card] -= sign * share.milli
            self.users[card] += sign


def candidate(room: NodeRoom, shape: MemberShape) -> Candidate | None:
    """The node as a candidate for the member, with the best cards there; None if it fits not."""
    if not room.suits(shape):
        return None
    cpu, memory = room.cpu_left - shape.cpu_milli, room.memory_left - shape.memory_mib
    if (cpu < 0 and shape.cpu_milli) or (memory < 0 and shape.memory_mib):
        return None
    cards = best_cards(room, shape)
    if cards is None:
        return None
    left = _Left(room)
    over = 0
    for share, taken in zip(shape.shares, cards, strict=True):
        over += sum(left.over(card, share) for card in taken)
        left.take(taken, share)
    return Candidate(over, sum(left.milli), cpu, memory, room.facts.name, cards)


def best_cards(room: NodeRoom, shape: MemberShape) -> Cards | None:
    """The best cards of the node for the member's shares, whatever CPU and memory are left."""
    return next(card_choices(room, shape), None)


def card_choices(room: NodeRoom, shape: MemberShape) -> Iterator[Cards]:
    """All ways to give the member's shares cards of the node, the best fit first (bounded).

    The node may change while this is consumed: it is looked at once.
    """
    return _choose(_Left(room), shape, (), iter(range(_MOST_TRIES)))


def fitting_cards(room: NodeRoom, share: Share) -> list[int]:
    """The cards of the node that could give the share now."""
    left = _Left(room)
    return [card for card in range(len(room.cards)) if left.fits(card, share)]


@lru_cache(maxsize=4096)
def allows(models: tuple[str, ...], model: str) -> bool:
    """Whether a card of this model will do where these are asked for."""
    return Share(models=models).allows(model)


def _choose(left: _Left, shape: MemberShape, done: Cards, tries: Iterator[int]) -> Iterator[Cards]:
    if len(done) == len(shape.shares):
        yield done
        return
    share = shape.shares[len(done)]
    fitting = [card for card in range(len(left.mib)) if left.fits(card, share)]
    if shape.level:
        fitting.sort(key=lambda card: -left.times(card, share))
    else:
        fitting.sort(key=lambda card: left.over(card, share))
    for cards in combinations(fitting, share.count):
        if next(tries, None) is None:
            return
        left.take(cards, share)
        yield from _choose(left, shape, (*done, cards), tries)
        left.take(cards, share, -1)

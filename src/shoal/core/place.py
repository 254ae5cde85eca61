"""Plan: where the members of a group go, all of them or none.

A group of one takes the best node. Members of a gang are placed one after the other, the
hardest first, on the journal. For a gang of like members that is exact. For a mixed one, if it
fails, a bounded search tries other places; a large mixed gang may then be told to wait although
a place exists.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from shoal.core.cluster import Cluster
from shoal.core.fit import Cards, card_choices
from shoal.core.rows import Rows
from shoal.core.shape import GroupShape, MemberShape

_MOST_SEARCHED: Final = 32
"""Members of a mixed gang up to which other places are tried."""
_MOST_TRIES: Final = 4_000
"""Places that one search tries."""


class Spot(NamedTuple):
    """Where one member goes: its node and, for each of its shares, the cards by index."""

    node: str
    cards: Cards


class Placer:
    """Places groups on one cluster and leaves it as it was.

    ``gave_up`` tells of the last group whether it was searched for to no end, so that a place
    may exist although none was found.
    """

    __slots__ = ("cluster", "gave_up", "rows")

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.rows = Rows(cluster)
        self.gave_up = False

    def place(self, shape: GroupShape) -> tuple[Spot, ...] | None:
        """A spot for each member in the shape's order, or None."""
        self.gave_up = False
        if len(shape.members) == 1:
            spot = self._best(shape.members[0])
            return None if spot is None else (spot,)
        spots = self.place_some(shape)
        if len(spots) == len(shape.members):
            return spots
        if shape.uniform:
            return None
        if len(shape.members) > _MOST_SEARCHED:
            self.gave_up = True
            return None
        return self._search(shape)

    def place_some(self, shape: GroupShape) -> tuple[Spot, ...]:
        """Spots for the first members, as many as fit one after the other."""
        start = self.cluster.checkpoint()
        spots: list[Spot] = []
        for member in shape.members:
            spot = self._best(member)
            if spot is None:
                break
            spots.append(spot)
            self.take(member, spot, bar=not shape.pack)
        self.cluster.rollback(start)
        return tuple(spots)

    def take_all(self, shape: GroupShape, spots: tuple[Spot, ...]) -> None:
        """Take what a whole group gets, until it is rolled back."""
        for member, spot in zip(shape.members, spots, strict=True):
            self.take(member, spot, bar=False)

    def take(self, member: MemberShape, spot: Spot, *, bar: bool) -> None:
        """Take what a member gets at a spot, until it is rolled back; perhaps bar its cards."""
        facts = self.cluster.nodes[spot.node].cards
        for share, cards in zip(member.shares, spot.cards, strict=True):
            for card in cards:
                mib = share.memory_on(facts[card].memory_mib)
                self.cluster.take_card(spot.node, card, mib, share.milli)
                if bar:
                    self.cluster.bar_card(spot.node, card)
        self.cluster.take_node(spot.node, member.cpu_milli, member.memory_mib)

    def _best(self, member: MemberShape) -> Spot | None:
        best = self.rows.best(member)
        return None if best is None else Spot(best.node, best.cards)

    def _search(self, shape: GroupShape) -> tuple[Spot, ...] | None:
        start = self.cluster.checkpoint()
        spots = self._extend(shape, 0, iter(range(_MOST_TRIES)))
        self.cluster.rollback(start)
        return spots

    def _extend(self, shape: GroupShape, at: int, tries: Iterator[int]) -> tuple[Spot, ...] | None:
        if at == len(shape.members):
            return ()
        member = shape.members[at]
        for spot in self._spots(member):
            if next(tries, None) is None:
                self.gave_up = True
                return None
            before = self.cluster.checkpoint()
            self.take(member, spot, bar=not shape.pack)
            rest = self._extend(shape, at + 1, tries)
            self.cluster.rollback(before)
            if rest is not None:
                return (spot, *rest)
        return None

    def _spots(self, member: MemberShape) -> Iterator[Spot]:
        for found in sorted(self.rows.all(member).values()):
            for cards in card_choices(self.cluster.nodes[found.node], member):
                yield Spot(found.node, cards)

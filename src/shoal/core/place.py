"""Plan: where the members of a group go, all of them or none.

A group of one takes the best node. Members of a gang are placed one after the other, the
hardest first, on the journal. For a gang of like members that is exact. For a mixed one, if it
fails, a bounded search tries other places; a large mixed gang may then be told to wait although
a place exists.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from shoal.core.cluster import Cluster, Node
from shoal.core.engine.spec import Place, Survey, cards_of
from shoal.core.fit import Cards, card_choices
from shoal.core.room import NodeRoom
from shoal.core.several import Several
from shoal.core.shape import GroupShape, MemberShape

_MOST_SEARCHED: Final = 32
"""Members of a mixed gang up to which other places are tried."""
_MOST_TRIES: Final = 4_000
"""Places that one search tries."""
_MOST_NODES: Final = 64
"""Nodes that it tries for one member, the best first."""


class Spot(NamedTuple):
    """Where one member goes: its node and, for each of its shares, the cards by index."""

    node: str
    cards: Cards


class Placer:
    """Places groups on one cluster and leaves it as it was.

    ``gave_up`` tells of the last group whether it was searched for to no end, so that a place
    may exist although none was found.
    """

    __slots__ = ("cluster", "gave_up", "several")

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.several = Several(cluster)
        self.gave_up = False

    def place(self, shape: GroupShape) -> tuple[Spot, ...] | None:
        """A spot for each member in the shape's order, or None."""
        self.gave_up = False
        if len(shape.members) == 1:
            spot = self.best(shape.members[0])
            return None if spot is None else (spot,)
        if shape.uniform and self.fitting(shape) < len(shape.members):
            return None
        spots = self.place_some(shape)
        if len(spots) == len(shape.members):
            return spots
        if shape.uniform:
            return None
        if len(shape.members) > _MOST_SEARCHED:
            self.gave_up = True
            return None
        return self._search(shape)

    def may_place(self, shape: GroupShape) -> bool:
        """Whether it is worth trying to place a group; False only where it has no place."""
        if len(shape.members) > 1 and shape.uniform:
            return self.fitting(shape) >= len(shape.members)
        return all(map(self.fits, dict.fromkeys(shape.members)))

    def fits(self, member: MemberShape) -> bool:
        """Whether a member fits anywhere."""
        if len(member.shares) > 1:
            return self.several.best(member) is not None
        return self.cluster.engine.best(self.cluster.classes.number(member)) is not None

    def best(self, member: MemberShape) -> Spot | None:
        """Where a member fits best, if it fits anywhere."""
        if len(member.shares) > 1:
            found = self.several.best(member)
            return None if found is None else Spot(found.node, found.cards)
        place = self.cluster.engine.best(self.cluster.classes.number(member))
        return None if place is None else self._spot(place, member)

    def place_some(self, shape: GroupShape) -> tuple[Spot, ...]:
        """Spots for the first members, as many as fit one after the other."""
        engine = self.cluster.engine
        start = engine.checkpoint()
        if any(len(member.shares) > 1 for member in dict.fromkeys(shape.members)):
            spots = tuple(self._one_by_one(shape))
        else:
            numbers = [self.cluster.classes.number(member) for member in shape.members]
            places = engine.place(numbers, apart=not shape.pack)
            spots = tuple(map(self._spot, places, shape.members))
        engine.rollback(start)
        return spots

    def fitting(self, shape: GroupShape) -> int:
        """How many of a group's like members have room at the same time."""
        member, count = shape.members[0], len(shape.members)
        if len(member.shares) > 1:
            return len(self.place_some(shape))
        number = self.cluster.classes.number(member)
        return min(self.cluster.engine.total(number, apart=not shape.pack), count)

    def survey(self, member: MemberShape) -> Survey:
        """What there is of what a member asks for."""
        if len(member.shares) > 1:
            return self.several.survey(member)
        return self.cluster.engine.survey(self.cluster.classes.number(member))

    def nodes(self, member: MemberShape) -> list[Node]:
        """Every node where a member fits, by name."""
        if len(member.shares) > 1:
            names = [found.node for found in self.several.all(member)]
        else:
            number = self.cluster.classes.number(member)
            counts = self.cluster.engine.members(number, apart=False)
            names = [self.cluster.name(at) for at, count in enumerate(counts) if count]
        return [self.cluster.nodes[name] for name in sorted(names)]

    def take_all(self, shape: GroupShape, spots: tuple[Spot, ...]) -> None:
        """Take what a whole group gets, until it is rolled back."""
        for member, spot in zip(shape.members, spots, strict=True):
            self._take(member, spot, bar=False)

    def _spot(self, place: Place, member: MemberShape) -> Spot:
        cards = (cards_of(place.cards),) if member.shares else ()
        return Spot(self.cluster.name(place.node), cards)

    def _one_by_one(self, shape: GroupShape) -> Iterator[Spot]:
        for member in shape.members:
            spot = self.best(member)
            if spot is None:
                return
            self._take(member, spot, bar=not shape.pack)
            yield spot

    def _take(self, member: MemberShape, spot: Spot, *, bar: bool) -> None:
        engine, node = self.cluster.engine, self.cluster.nodes[spot.node]
        for share, cards in zip(member.shares, spot.cards, strict=True):
            for card in cards:
                mib = share.memory_on(node.cards[card].memory_mib)
                engine.take_card(node.number, card, share.milli, mib, barred=int(bar))
        engine.take_node(node.number, member.cpu_milli, member.memory_mib)

    def _search(self, shape: GroupShape) -> tuple[Spot, ...] | None:
        start = self.cluster.engine.checkpoint()
        spots = self._extend(shape, 0, iter(range(_MOST_TRIES)))
        self.cluster.engine.rollback(start)
        return spots

    def _extend(self, shape: GroupShape, at: int, tries: Iterator[int]) -> tuple[Spot, ...] | None:
        if at == len(shape.members):
            return ()
        member = shape.members[at]
        for spot in self._spots(member):
            if next(tries, None) is None:
                self.gave_up = True
                return None
            before = self.cluster.engine.checkpoint()
            self._take(member, spot, bar=not shape.pack)
            rest = self._extend(shape, at + 1, tries)
            self.cluster.engine.rollback(before)
            if rest is not None:
                return (spot, *rest)
        return None

    def _spots(self, member: MemberShape) -> Iterator[Spot]:
        for name in self._best_nodes(member):
            for cards in card_choices(NodeRoom(self.cluster, self.cluster.nodes[name]), member):
                yield Spot(name, cards)

    def _best_nodes(self, member: MemberShape) -> list[str]:
        """The nodes where the member fits, the best first."""
        if len(member.shares) > 1:
            found = [each.node for each in sorted(self.several.all(member))]
        else:
            number = self.cluster.classes.number(member)
            numbers = self.cluster.engine.best_nodes(number, _MOST_NODES)
            found = [self.cluster.name(each) for each in numbers]
        if len(found) >= _MOST_NODES:
            self.gave_up = True
        return found[:_MOST_NODES]

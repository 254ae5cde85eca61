"""The engine in plain numpy: the oracle that the compiled one is held against.

Nothing is remembered: every question looks at every node anew. Not for use, for comparison.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from shoal.core.engine.policy import Policy, gradient_steps
from shoal.core.engine.reference_cards import choose_cards, members_by_cards
from shoal.core.engine.reference_policies import RANKS, Trial
from shoal.core.engine.reference_survey import easiest, survey
from shoal.core.engine.reference_worth import pressures, prior, residues, tight_reserves
from shoal.core.engine.reserves import Reserve, reserves_of
from shoal.core.engine.spec import (
    Ask,
    Busy,
    CardFlag,
    CardLeft,
    Lack,
    NodeLeft,
    NodeSpec,
    Place,
    Survey,
    Work,
    cards_of,
)
from shoal.core.engine.worth import LEARNT_STEP, PRIOR_STEP
from shoal.units.gpu import WHOLE

Ints = npt.NDArray[np.int64]
_FIRST_GAMMA = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


@dataclass
class Room:
    """A node and what is left of it; an array has an entry a card."""

    spec: NodeSpec
    rank: int
    cpu: int
    memory: int
    milli: Ints
    mib: Ints
    users: Ints
    barred: Ints

    def copy(self) -> "Room":
        arrays = (self.milli, self.mib, self.users, self.barred)
        return Room(self.spec, self.rank, self.cpu, self.memory, *(each.copy() for each in arrays))


@dataclass
class _Class:
    ask: Ask
    suits: list[bool]


@dataclass
class ReferenceEngine:
    """The plain engine; see ``Engine`` for what each method does."""

    models: int
    nodes: dict[int, Room] = field(default_factory=dict)
    classes: dict[int, _Class] = field(default_factory=dict)
    policy: Policy = Policy.BINPACK
    works: tuple[Work, ...] = ()
    steps: tuple[int, ...] = ()
    journal: list[dict[int, Room]] = field(default_factory=list)
    most: int = 0
    worth: tuple[int, ...] = ()
    worth_step: int = 1
    reserves: tuple[Reserve, ...] = ()
    shuffle: int = 0
    log: list[int] = field(default_factory=list)

    def put_node(self, node: int, spec: NodeSpec, rank: int) -> None:
        count = len(spec.cards)
        mib = np.array([card.mib for card in spec.cards], dtype=np.int64)
        milli = np.full(count, WHOLE, dtype=np.int64)
        none = np.zeros(count, dtype=np.int64)
        self.nodes[node] = Room(spec, rank, spec.cpu, spec.memory, milli, mib, none, none.copy())
        self.most = max(self.most, node + 1)
        self.log.append(node)

    def set_rank(self, node: int, rank: int) -> None:
        self.nodes[node].rank = rank

    def set_models(self, models: int) -> None:
        self.models = models

    def drop_node(self, node: int) -> None:
        del self.nodes[node]
        self.log.append(node)

    def put_class(self, number: int, ask: Ask, suits: Sequence[int]) -> None:
        self.classes[number] = _Class(ask, list(map(bool, suits)))

    def drop_class(self, number: int) -> None:
        del self.classes[number]

    def suit(self, number: int, node: int, suits: bool) -> None:
        known = self.classes[number].suits
        known.extend([False] * (node + 1 - len(known)))
        known[node] = suits
        self.log.append(node)

    def set_policy(self, policy: Policy) -> None:
        self.policy = policy
        self._rank()

    def set_work(self, works: Sequence[Work]) -> None:
        self.works = tuple(works)
        self._rank()

    def set_worth(self, worth: Sequence[int]) -> None:
        self.worth, self.worth_step = tuple(worth), LEARNT_STEP

    def set_seed(self, seed: int) -> None:
        self.shuffle = seed

    def checkpoint(self) -> int:
        return len(self.journal)

    def rollback(self, checkpoint: int) -> None:
        while len(self.journal) > checkpoint:
            undone = self.journal.pop()
            self.log += undone
            self.nodes.update(undone)

    def commit(self) -> None:
        self.journal.clear()

    def take_card(
        self, node: int, card: int, milli: int, mib: int, *, users: int = 1, barred: int = 0
    ) -> None:
        self._note(node)
        room = self.nodes[node]
        room.milli[card] -= milli
        room.mib[card] -= mib
        room.users[card] += users
        room.barred[card] += barred

    def take_node(self, node: int, cpu: int, memory: int) -> None:
        self._note(node)
        room = self.nodes[node]
        room.cpu -= cpu
        room.memory -= memory

    def best_of(self, numbers: Sequence[int]) -> tuple[int, Place] | None:
        found = [
            (score, -at, rank, place)
            for at, number in enumerate(numbers)
            for score, rank, place in self._ranked(number)
        ]
        if not found:
            return None
        _, at, _, place = max(found)
        return -at, place

    def best(self, number: int) -> Place | None:
        found = self._ranked(number)
        if self.policy is Policy.RANDOM:
            return self._any([place for _, _, place in found])
        return max(found, default=(None, None, None))[2]

    def best_on(self, number: int, node: int) -> Place | None:
        return next((place for _, place in self._looked_at(number, node)), None)

    def take(self, number: int, place: Place, *, bar: bool = False) -> None:
        ask = self.classes[number].ask
        for card in cards_of(place.cards):
            mib = ask.memory_on(self.nodes[place.node].spec.cards[card].mib)
            self.take_card(place.node, card, ask.milli, mib, barred=int(bar))
        self.take_node(place.node, ask.cpu, ask.memory)

    def place(self, numbers: Sequence[int], *, apart: bool) -> list[Place]:
        places = []
        for number in numbers:
            place = self.best(number)
            if place is None:
                break
            self.take(number, place, bar=apart)
            places.append(place)
        return places

    def place_one(self, number: int) -> Place | None:
        return next(iter(self.place([number], apart=False)), None)

    def fill(self, number: int, deal: Sequence[tuple[int, int]], *, apart: bool) -> list[Place]:
        places: list[Place] = []
        for node in (node for node, count in deal for _ in range(count)):
            place = self.best_on(number, node)
            if place is None:
                break
            self.take(number, place, bar=apart)
            places.append(place)
        return places

    def members(self, number: int, *, apart: bool) -> list[int]:
        return [self._members(number, node, apart=apart) for node in range(self.most)]

    def total(self, number: int, *, apart: bool) -> int:
        return sum(self.members(number, apart=apart))

    def best_nodes(self, number: int, most: int) -> list[int]:
        found = sorted(self._ranked(number), key=lambda one: one[:2], reverse=True)
        return [place.node for _, _, place in found[:most]]

    def survey(self, number: int) -> Survey:
        return survey(self._suited(number), self.classes[number].ask, fitting_cards)

    def easiest(self, number: int, most: int, *, node: int = -1) -> list[Busy]:
        suited = self._suited(number)
        rooms = {at: room for at, room in suited.items() if node in (-1, at)}
        return easiest(rooms, self.classes[number].ask, fitting_cards)[:most]

    def position(self) -> int:
        return len(self.log)

    def touched_since(self, position: int) -> list[int] | None:
        return list(dict.fromkeys(self.log[position:]))

    def tally(self, number: int) -> dict[Lack, int]:
        counted = Counter(self._lacks(number, node) for node in self.nodes)
        return {lack: counted[lack] for lack in Lack}

    def left(self, node: int) -> NodeLeft | None:
        room = self.nodes.get(node)
        if room is None:
            return None
        columns = (room.milli, room.mib, room.users, room.barred)
        cards = (CardLeft(*map(int, card)) for card in zip(*columns, strict=True))
        return NodeLeft(room.cpu, room.memory, tuple(cards))

    def _rank(self) -> None:
        total = sum(work.weight for work in self.works)
        self.steps = tuple(gradient_steps(total)) if total else ()
        if self.policy is Policy.IDLE_VALUE:
            self.worth, self.worth_step = tuple(prior(self.works)), PRIOR_STEP
            self.reserves = tuple(reserves_of(self.works))

    def _note(self, node: int) -> None:
        self.journal.append({node: self.nodes[node].copy()})
        self.log.append(node)

    def _ranked(self, number: int) -> list[tuple[tuple[int, int], int, Place]]:
        """Every node that fits, by number: its score, how it ranks among equals, the place."""
        return [
            (score, -self.nodes[node].rank, place)
            for node in sorted(self.nodes)
            for score, place in self._looked_at(number, node)
        ]

    def _suits(self, number: int, node: int) -> bool:
        suits = self.classes[number].suits
        return node in self.nodes and node < len(suits) and suits[node]

    def _suited(self, number: int) -> "dict[int, Room]":
        return {node: room for node, room in self.nodes.items() if self._suits(number, node)}

    def _looked_at(self, number: int, node: int) -> Iterator[tuple[tuple[int, int], Place]]:
        """The best place on one node with its score, if there is any."""
        if self._lacks(number, node) is not Lack.NOTHING:
            return
        ask, room = self.classes[number].ask, self.nodes[node]
        fitting = fitting_cards(room, ask)
        if ask.count == 1 and not ask.whole:
            choices = [1 << card for card in fitting]
        else:
            choices = [choose_cards(room, ask, fitting)]
        left = residues(room)

        def tightness(cards: int) -> int:
            alone = len(choices) > 1 and self.policy is not Policy.FGD_PUBLISHED
            return -left[cards.bit_length() - 1] if alone else 0

        ranked = [
            (self._score(room, ask, cards), tightness(cards), -cards, cards) for cards in choices
        ]
        score, _, _, cards = max(ranked)
        yield score, Place(node, cards)

    def _score(self, room: Room, ask: Ask, cards: int) -> tuple[int, int]:
        after = room.copy()
        after.cpu -= ask.cpu
        after.memory -= ask.memory
        for card in cards_of(cards):
            after.milli[card] -= ask.milli
            after.mib[card] -= ask.memory_on(room.spec.cards[card].mib)
        trial = Trial(
            ask, room, after, cards, self.models, self.works, self.steps, self.worth,
            self.worth_step, self._tight(), self._pressure(room),
        )  # fmt: skip
        return RANKS[self.policy](trial)

    def _pressure(self, room: Room) -> int:
        if not room.spec.cards:
            return 0
        return pressures(self.reserves, self.nodes).get(room.spec.cards[0].model, 0)

    def _tight(self) -> tuple[Reserve, ...]:
        left = {node: residues(room) for node, room in self.nodes.items()}
        return tuple(tight_reserves(self.reserves, self.nodes, left))

    def _any(self, places: list[Place]) -> Place | None:
        chosen = None
        for seen, place in enumerate(places, 1):
            if self._next_random() % seen == 0:
                chosen = place
        return chosen

    def _next_random(self) -> int:
        """splitmix64 (Steele, Lea and Flood, OOPSLA 2014)."""
        self.shuffle = mixed = (self.shuffle + _FIRST_GAMMA) & _MASK
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & _MASK
        return mixed ^ (mixed >> 31)

    def _lacks(self, number: int, node: int) -> Lack:
        if not self._suits(number, node):
            return Lack.SUITED
        ask, room = self.classes[number].ask, self.nodes[node]
        fitting = fitting_cards(room, ask)
        if len(fitting) < ask.count:
            return _lacking_card(room, ask)
        if ask.cpu and room.cpu < ask.cpu:
            return Lack.CPU
        if ask.memory and room.memory < ask.memory:
            return Lack.MEMORY
        return Lack.CARDS if ask.count and not choose_cards(room, ask, fitting) else Lack.NOTHING

    def _members(self, number: int, node: int, *, apart: bool) -> int:
        if not self._suits(number, node):
            return 0
        ask, room = self.classes[number].ask, self.nodes[node]
        most = (1 << 31) - 1
        if ask.cpu:
            most = min(most, max(room.cpu, 0) // ask.cpu)
        if ask.memory:
            most = min(most, max(room.memory, 0) // ask.memory)
        if not ask.count:
            return most
        return min(most, members_by_cards(room, ask, fitting_cards(room, ask), apart=apart))


def fitting_cards(room: Room, ask: Ask) -> list[int]:
    """The cards of a node that could give the class its part of one card now."""
    return [at for at in range(len(room.spec.cards)) if _fits(room, ask, at)]


def _fits(room: Room, ask: Ask, at: int) -> bool:
    card = room.spec.cards[at]
    return bool(
        ask.allows(card.model)
        and CardFlag.UNHEALTHY not in card.flags
        and not (CardFlag.MPS in card.flags and ask.count > 1 and not ask.whole)
        and not room.barred[at]
        and room.milli[at] >= ask.milli
        and room.mib[at] >= ask.memory_on(card.mib)
        and not (ask.whole and room.users[at])
    )


def _lacking_card(room: Room, ask: Ask) -> Lack:
    allowed = [at for at, card in enumerate(room.spec.cards) if ask.allows(card.model)]
    if len(allowed) < ask.count:
        return Lack.MODEL
    if ask.count > 1 or ask.whole:
        return Lack.CARDS
    roomy = any(room.mib[at] >= ask.memory_on(room.spec.cards[at].mib) for at in allowed)
    return Lack.CARD_COMPUTE if roomy else Lack.CARD_MEMORY

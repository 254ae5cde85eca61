"""What an engine is told of: nodes, request classes and the work that is expected. Integers."""

from enum import IntEnum, IntFlag
from typing import NamedTuple

import msgspec

from shoal.units.gpu import WHOLE

MOST_CARDS = 64
"""Cards that a node may have."""


class CardFlag(IntFlag):
    """What is special about a card."""

    UNHEALTHY = 1
    """It takes nothing new."""
    MPS = 2
    """Its sharers are clients of one MPS server, which gives no share over several cards."""


class CardSpec(msgspec.Struct, frozen=True):
    """One card: the number of its model, MiB, its NUMA node (-1: unknown) and flags."""

    model: int
    mib: int = 0
    numa: int = -1
    flags: CardFlag = CardFlag(0)


class NodeSpec(msgspec.Struct, frozen=True):
    """One node: mCPU, MiB, its cards, and what links them.

    ``links`` has the bandwidth between cards i and j, in any unit, at ``i * len(cards) + j``;
    empty where it is unknown.
    """

    cpu: int
    memory: int
    cards: tuple[CardSpec, ...] = ()
    links: tuple[int, ...] = ()


class Ask(msgspec.Struct, frozen=True):
    """A request class: mCPU, MiB, and ``count`` cards with ``milli`` and ``mib`` of each.

    0 ``mib``: as much of a card's memory as of its compute. ``models`` are the numbers of those
    allowed; None means any. ``level`` takes the emptiest cards instead of the fullest where
    parts of several are asked; ``one_numa`` wants all cards of one NUMA node.
    """

    cpu: int = 0
    memory: int = 0
    count: int = 0
    milli: int = 0
    mib: int = 0
    models: frozenset[int] | None = None
    level: bool = False
    one_numa: bool = False

    @property
    def whole(self) -> bool:
        """Whether whole cards are asked for."""
        return self.milli == WHOLE and self.mib == 0

    def memory_on(self, mib: int) -> int:
        """MiB that it takes of a card that has ``mib`` in all."""
        return self.mib or mib * self.milli // WHOLE

    def allows(self, model: int) -> bool:
        """Whether a card of this model will do."""
        return self.models is None or model in self.models


class Work(msgspec.Struct, frozen=True):
    """A kind of work that may come. ``weight`` tells how often, beside the others."""

    ask: Ask
    weight: int


class Place(NamedTuple):
    """Where one member goes: a node, and the cards of it as a bit mask."""

    node: int
    cards: int


class CardLeft(NamedTuple):
    """What is left of a card: milli-card and MiB; who uses it, and who keeps others off it."""

    milli: int
    mib: int
    users: int
    barred: int


class NodeLeft(NamedTuple):
    """What is left of a node: mCPU, MiB, and of each card."""

    cpu: int
    memory: int
    cards: tuple[CardLeft, ...]


class Most(NamedTuple):
    """The most of something and where: a node, and perhaps a card of it. Node -1: nowhere."""

    amount: int
    node: int
    card: int


class Survey(NamedTuple):
    """What there is of what a class asks for, on the nodes that suit it.

    ``suited`` counts these, ``allowed`` their cards of an allowed model, ``fitting`` the cards
    that could give the class its part now, ``served`` the nodes with enough of them. Most of all:
    of the nodes, fitting ``cards``; of those served, ``cpu``, and ``memory`` beside enough CPU if
    that is anywhere; of the allowed cards, ``card_memory``, and ``card_compute`` of those with
    the memory. CPU and memory are told as free, as there in all, and of the largest node.
    """

    suited: int
    allowed: int
    fitting: int
    served: int
    cards: Most
    cpu: Most
    memory: Most
    card_compute: Most
    card_memory: Most
    cpu_free: int
    cpu_there: int
    cpu_largest: int
    memory_free: int
    memory_there: int
    memory_largest: int


class Busy(NamedTuple):
    """A card that somebody uses, and how much: compute and memory in milli."""

    held: int
    node: int
    card: int


class Lack(IntEnum):
    """The one thing that a class lacks on a node, in the order in which it is looked for."""

    NOTHING = 0
    SUITED = 1
    """It may not go there at all."""
    MODEL = 2
    """The node has too few cards of an allowed model."""
    CARDS = 3
    """Too few whole, or different, cards are free."""
    CARD_MEMORY = 4
    """No card has that much memory free."""
    CARD_COMPUTE = 5
    """No card has that much compute free besides the memory."""
    CPU = 6
    MEMORY = 7


def cards_of(mask: int) -> tuple[int, ...]:
    """The indices of the cards in a mask, rising."""
    return tuple(at for at in range(mask.bit_length()) if mask >> at & 1)

"""What the read-only questions are answered with: the board, an explanation, a plan.

Facts in integers, as in events: MiB, milli-card, mCPU, ms since the epoch. ``core.words``
turns them into sentences.
"""

from enum import StrEnum

import msgspec

from shoal.core.reason import Reason
from shoal.units.gpu import Share


class _Answer(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of what is sent to people's programs."""


class CardHolder(_Answer, frozen=True):
    """Who holds a part of a card. ``assumed``: decided, and not yet seen in the cluster."""

    owner: str
    memory_mib: int
    milli: int
    share: Share | None = None
    ends_at: int = 0
    releasing: bool = False
    assumed: bool = False


class CardLine(_Answer, frozen=True):
    """One card: what it has, what is free of it, and who holds the rest."""

    node: str
    card: str
    model: str
    memory_mib: int
    memory_free_mib: int
    milli_free: int
    simulated: bool = False
    holders: tuple[CardHolder, ...] = ()

    @property
    def unused(self) -> bool:
        """Whether nobody holds anything on it, so that it can be given whole."""
        return not self.holders


class NodeLine(_Answer, frozen=True):
    """One node. ``closed`` says why it takes no new work, if it does not."""

    name: str
    cpu_milli: int
    cpu_free_milli: int
    memory_mib: int
    memory_free_mib: int
    closed: str = ""
    cards: tuple[CardLine, ...] = ()


class Board(_Answer, frozen=True):
    """Every node and card. ``waiting`` and ``placing`` count groups."""

    nodes: tuple[NodeLine, ...] = ()
    waiting: int = 0
    placing: int = 0


class Forecast(_Answer, frozen=True):
    """When a group starts at the latest by the ends that are known; 0 where none is.

    ``owner`` is whose end makes room. It assumes that those ahead in the line go first and
    that nobody who comes later takes the room.
    """

    start_by: int = 0
    owner: str = ""


class Alternative(_Answer, frozen=True):
    """Another shape of the same group that would start now, and the cards it would get."""

    share: Share
    cards: tuple[tuple[str, str], ...]
    """Node and card names."""
    pack: bool = False


class Lacking(StrEnum):
    """The one thing that keeps a member from a node, the most basic first."""

    CLOSED = "closed"
    SUITED = "suited"
    """It may not go there for its labels, its taints or what it runs."""
    MODEL = "model"
    """The node has too few cards of a model that will do."""
    CARDS = "cards"
    CARD_MEMORY = "cardMemory"
    CARD_COMPUTE = "cardCompute"
    CPU = "cpu"
    MEMORY = "memory"
    NOTHING = "nothing"
    """There is room for it; others of its gang have none."""


class Explanation(_Answer, frozen=True):
    """Why a group waits. ``placing``: it was given a place that is being written just now.

    ``turn`` is its place in the line, from 1; 0 where it can never start here. ``cards`` are
    those of a model that will do, on nodes where it may go. ``lacking`` counts the nodes by what
    its first member lacks there, where there are several nodes.
    """

    key: str
    owner: str
    turn: int = 0
    placing: bool = False
    reason: Reason | None = None
    cards: tuple[CardLine, ...] = ()
    forecast: Forecast = Forecast()
    sooner: tuple[Alternative, ...] = ()
    lacking: dict[Lacking, int] = {}


class Verdict(StrEnum):
    """What would become of a group."""

    NOW = "now"
    WAITS = "waits"
    NEVER = "never"
    """It could not start here even if nothing else ran."""


class PlannedCard(_Answer, frozen=True):
    """A part of a card that a member would get, and what is left there once all have theirs."""

    card: str
    model: str
    memory_mib: int
    milli: int
    memory_left_mib: int
    milli_left: int
    simulated: bool = False


class PlannedMember(_Answer, frozen=True):
    """Where a member would go."""

    name: str
    node: str
    cards: tuple[PlannedCard, ...] = ()


class Plan(_Answer, frozen=True):
    """What would happen to a group; nothing was changed."""

    verdict: Verdict
    members: tuple[PlannedMember, ...] = ()
    reason: Reason | None = None
    forecast: Forecast = Forecast()
    sooner: tuple[Alternative, ...] = ()

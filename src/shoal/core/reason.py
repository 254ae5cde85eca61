"""Reason: why something waits or was refused, as a code and its operands.

Turned into words by ``core.words``; stored as the code, so that it is counted and compared
without reading sentences.
"""

from enum import StrEnum

import msgspec

from shoal.units.gpu import Share


class Code(StrEnum):
    """The dominant reasons, most basic first: what can never be comes before what is busy."""

    NO_NODES = "NoNodes"
    """No node is ready to take work."""
    NODE_UNKNOWN = "NodeUnknown"
    """No node is ready to take work, and of one that could nothing is heard."""
    TAINTED = "NodeTainted"
    """No node that could take it is open to it: taints keep it away that it does not tolerate."""
    NO_RUNTIME = "NoContainerRuntime"
    """An image other than ``host`` where nodes have no container runtime."""
    NO_MODEL = "NoSuchModel"
    """No card of an allowed model exists."""
    TOO_LARGE = "TooLarge"
    """More than all nodes together, or a card, could ever give."""
    SELECTOR = "NodeSelector"
    """No node carries the labels asked for."""
    GANG_INCOMPLETE = "GangIncomplete"
    """Not all members of the gang exist yet."""
    CLAIM_MISSING = "ClaimMissing"
    """A claim that the pod names does not exist yet, or cannot be understood."""
    CARDS_BUSY = "CardsBusy"
    """Whole cards, or different cards for a gang: fewer are free than asked."""
    MEMORY_BUSY = "CardMemoryBusy"
    """No card has that much memory free."""
    COMPUTE_BUSY = "CardComputeBusy"
    """No card has that much compute free."""
    CPU_BUSY = "CpuBusy"
    """No node has that much CPU free."""
    HOST_MEMORY_BUSY = "MemoryBusy"
    """No node has that much memory free."""
    GANG_BUSY = "GangBusy"
    """Each member would fit alone, but not all of them at the same time."""
    RELEASING = "Releasing"
    """What would fit is held by programs that are just ending."""
    RETRYING = "Retrying"
    """The last decision could not be written; it is tried again shortly."""


class Resource(StrEnum):
    """What the operands of a reason count."""

    CARDS = "cards"
    """Cards: whole, or different ones."""
    CARD_MEMORY = "cardMemory"
    """MiB of one card."""
    CARD_COMPUTE = "cardCompute"
    """Milli-card of one card."""
    CPU = "cpu"
    """mCPU of nodes."""
    MEMORY = "memory"
    """MiB of nodes."""
    MEMBERS = "members"
    """Members of a gang that fit at the same time."""


class Holder(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Who holds what is missing.

    ``amount`` is in the unit of the reason's operands; where those count cards or members it is
    milli-card, and ``memory_mib`` tells the card's memory that goes with it. ``ends_at`` is ms
    since the epoch at the latest, or 0 where no end is known.
    """

    name: str
    amount: int
    memory_mib: int = 0
    card: str = ""
    node: str = ""
    ends_at: int = 0
    limited: bool = False
    """It has a time limit though its end is not known yet, or nobody knows whether it has."""
    releasing: bool = False


class Reason(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A code and its operands.

    ``asked``, ``best`` and ``total`` are in units of ``resource``: what is asked, the most that
    is free (for TOO_LARGE: that could ever be), and what exists at all where it may go, of the
    models asked. ``members`` is how many members the group has: for several, operands are sums
    over all of them and all nodes, save those of one card, and ``fit`` is how many of the
    members have room at the same time. ``narrowed`` where some nodes may not take it at all.
    ``holders`` come largest first. ``models`` are the cards that ``total`` counts, as
    ``2 × A100-80GB``; for NO_MODEL those of all models.
    """

    code: Code
    resource: Resource | None = None
    asked: int = 0
    best: int = 0
    total: int = 0
    share: Share | None = None
    members: int = 1
    fit: int = 0
    narrowed: bool = False
    holders: tuple[Holder, ...] = ()
    models: tuple[str, ...] = ()
    detail: str = ""

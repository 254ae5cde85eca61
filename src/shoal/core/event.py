"""Event: what ``core.step`` is told. Facts only, in integers; times are ms since the epoch."""

import msgspec

from shoal.core.taints import Taint, Toleration
from shoal.units.gpu import Share


class _Fact(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of what events are made of."""


class Card(_Fact, frozen=True):
    """One card of a node. ``name`` is its device name in the slice (``gpu-0``)."""

    name: str
    model: str
    memory_mib: int
    uuid: str = ""
    simulated: bool = False


class Part(_Fact, frozen=True):
    """A part of one card: MiB of memory and milli-card of compute."""

    card: str
    memory_mib: int
    milli: int


class Hold(_Fact, frozen=True):
    """A claim that holds parts of cards of one node, as its allocation says.

    ``owner`` is the name people know it by: the run's, else the pod's. ``releasing`` once the
    claim was cleared or deleted while the node's agent still holds it. ``ends_at`` is the
    latest end if one is known, else 0; ``limited`` if it may have a time limit all the same.
    """

    claim: str
    owner: str
    node: str
    parts: tuple[Part, ...]
    share: Share | None = None
    ends_at: int = 0
    limited: bool = False
    releasing: bool = False

    @property
    def room(self) -> tuple[object, ...]:
        """What it takes, and where."""
        return (self.node, self.parts)


class Placed(_Fact, frozen=True):
    """A bound pod that has not ended: the CPU and memory it takes of its node.

    ``ends_at`` is the latest end if one is known, else 0; ``limited`` if it has a time limit.
    """

    pod: str
    owner: str
    node: str
    cpu_milli: int
    memory_mib: int
    ends_at: int = 0
    limited: bool = False

    @property
    def room(self) -> tuple[object, ...]:
        """What it takes, and where."""
        return (self.node, self.cpu_milli, self.memory_mib)


class ClaimAsk(_Fact, frozen=True):
    """A claim without an allocation that a member needs."""

    uid: str
    name: str
    share: Share


class Member(_Fact, frozen=True):
    """A pod without a node.

    ``pinned`` names the node where claims of this pod are already allocated: it can go there
    alone. ``blocked`` says why it cannot be placed yet (a claim is missing), in words.
    """

    pod: str
    name: str
    cpu_milli: int = 0
    memory_mib: int = 0
    claims: tuple[ClaimAsk, ...] = ()
    node_selector: tuple[tuple[str, str], ...] = ()
    pinned: str = ""
    blocked: str = ""
    host_image: bool = True
    tolerations: tuple[Toleration, ...] = ()


class Group(_Fact, frozen=True):
    """Pods that are placed together or not at all; a plain pod is a group of one.

    ``key`` is ``namespace/name`` of the gang, or of the pod. ``size`` is how many members make
    it whole, not counting those that are bound already. Members of a group get distinct cards
    unless ``pack``.
    """

    key: str
    owner: str
    namespace: str
    members: tuple[Member, ...]
    size: int = 1
    queue: str = "default"
    priority: int = 0
    created: int = 0
    pack: bool = False


class Event(msgspec.Struct, frozen=True, tag=True, rename="camel", omit_defaults=True):
    """Base of the events."""


class NodeChanged(Event, frozen=True):
    """A node is as told here. ``closed`` says in words why it takes no new work, if it does not.

    ``containers`` tells whether images other than ``host`` can run there; ``unknown`` that it is
    closed since nobody hears of it, though what runs there may go on. ``taints`` keep away
    members that do not tolerate them.
    """

    name: str
    cpu_milli: int
    memory_mib: int
    cards: tuple[Card, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    closed: str = ""
    containers: bool = False
    unknown: bool = False
    taints: tuple[Taint, ...] = ()


class NodeGone(Event, frozen=True):
    """A node was deleted. What is held there stays held until told gone: it may come back."""

    name: str


class HoldChanged(Event, frozen=True):
    """A claim holds what is told here, whoever decided it."""

    hold: Hold


class HoldGone(Event, frozen=True):
    """A claim holds nothing any more, by the word of its node's agent."""

    claim: str


class PodPlaced(Event, frozen=True):
    """A pod is bound."""

    placed: Placed


class PodGone(Event, frozen=True):
    """A bound pod has ended or is gone: its CPU and memory are free."""

    pod: str


class GroupChanged(Event, frozen=True):
    """A group waits, with these members."""

    group: Group


class GroupGone(Event, frozen=True):
    """A group waits no longer: all bound, or withdrawn."""

    key: str


class Confirmed(Event, frozen=True):
    """A decision was written."""

    decision: int


class Refused(Event, frozen=True):
    """A decision could not be written and was undone. ``retry_at``: not before, in ms."""

    decision: int
    detail: str
    retry_at: int = 0


AnyEvent = (
    NodeChanged
    | NodeGone
    | HoldChanged
    | HoldGone
    | PodPlaced
    | PodGone
    | GroupChanged
    | GroupGone
    | Confirmed
    | Refused
)
"""The union, for decoding a log of events."""

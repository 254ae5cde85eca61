"""Decision: what ``core.step`` answers. ``scheduler.commit`` writes it and never decides."""

import msgspec

from shoal.core.event import Part
from shoal.core.reason import Reason


class ClaimPlacement(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The cards that a claim gets, in the order of its devices."""

    claim: str
    name: str
    parts: tuple[Part, ...]


class Placement(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Where one member goes. ``pod`` is its uid, ``name`` its name."""

    pod: str
    name: str
    node: str
    claims: tuple[ClaimPlacement, ...] = ()


class Decision(msgspec.Struct, frozen=True, tag=True, rename="camel", omit_defaults=True):
    """Base of the decisions. ``group`` is the group's key."""

    group: str


class Bind(Decision, frozen=True):
    """Place every member of a group. Assumed in the state until confirmed or refused."""

    id: int
    placements: tuple[Placement, ...]


class Wait(Decision, frozen=True):
    """A group cannot be placed now, for this reason; told only when the reason changes."""

    reason: Reason


AnyDecision = Bind | Wait
"""The union, for decoding a log of decisions."""

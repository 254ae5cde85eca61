"""Gang: pods that start together or not at all. Members carry the label ``shoal.dev/gang``."""

from typing import Final

import msgspec

from shoal.api.meta import Condition, Object, View

WAITING: Final = "Waiting"
PLACING: Final = "Placing"
"""Claims are being written; a failure undoes all."""
PLACED: Final = "Placed"
"""Every claim is written; from here the gang only rolls forward."""


class PlannedDevice(View):
    """A part of one card in a plan: MiB of memory and milli-card of compute."""

    device: str = ""
    """Name of the card."""
    memory_mib: int = 0
    """Memory on it, in MiB."""
    milli: int = 0
    """Compute on it, in thousandths of the card."""


class PlannedMember(View):
    """Where one member goes."""

    pod: str = ""
    """Name of the pod."""
    pod_uid: str = ""
    """Identity of the pod."""
    claim: str = ""
    """Name of its claim."""
    node: str = ""
    """Node that it goes to."""
    devices: list[PlannedDevice] = []
    """Parts of cards that it gets."""


class GangSpec(View):
    """How many members make the gang whole; whether they may share a card."""

    members: int = 1
    """How many members make the gang whole."""
    pack: bool = False
    """Whether members may share a card."""


class GangStatus(View):
    """The plan being carried out. Written by the scheduler alone.

    ``phase`` is WAITING, PLACING or PLACED.
    """

    phase: str = WAITING
    """Waiting, Placing or Placed."""
    plan: list[PlannedMember] = []
    """Where each member goes."""
    conditions: list[Condition] = []
    """What is known of the gang, one entry a kind of knowledge."""


class Gang(Object):
    """Pods that start together or not at all."""

    spec: GangSpec = msgspec.field(default_factory=GangSpec)
    """What makes the gang whole."""
    status: GangStatus = msgspec.field(default_factory=GangStatus)
    """The plan that is being carried out."""

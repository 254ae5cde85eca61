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
    memory_mib: int = 0
    milli: int = 0


class PlannedMember(View):
    """Where one member goes."""

    pod: str = ""
    pod_uid: str = ""
    claim: str = ""
    node: str = ""
    devices: list[PlannedDevice] = []


class GangSpec(View):
    """How many members make the gang whole; whether they may share a card."""

    members: int = 1
    pack: bool = False


class GangStatus(View):
    """The plan being carried out. Written by the scheduler alone.

    ``phase`` is WAITING, PLACING or PLACED.
    """

    phase: str = WAITING
    plan: list[PlannedMember] = []
    conditions: list[Condition] = []


class Gang(Object):
    """Pods that start together or not at all."""

    spec: GangSpec = msgspec.field(default_factory=GangSpec)
    status: GangStatus = msgspec.field(default_factory=GangStatus)

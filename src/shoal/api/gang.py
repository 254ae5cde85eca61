"""Gang: pods that start together or not at all. Members carry the label ``shoal.dev/gang``."""

import msgspec

from shoal.api.meta import Condition, Object, View


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

    ``phase`` is Waiting, Placing (claims are being written; a failure undoes all) or Placed
    (every claim is written; from here the gang only rolls forward).
    """

    phase: str = "Waiting"
    plan: list[PlannedMember] = []
    conditions: list[Condition] = []


class Gang(Object):
    """Pods that start together or not at all."""

    spec: GangSpec = msgspec.field(default_factory=GangSpec)
    status: GangStatus = msgspec.field(default_factory=GangStatus)

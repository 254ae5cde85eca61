"""What the machine reads and what it answers."""

from typing import Any

import msgspec

from shoal.api.claim import ResourceClaim
from shoal.api.gang import Gang
from shoal.api.kinds import Kind
from shoal.api.pod import Pod
from shoal.api.run import RunStatus


class Observed(msgspec.Struct, frozen=True):
    """Everything that the run owns, of all its attempts, in any order.

    ``malformed`` says why the run's spec cannot be read, of one that slipped in; ``silent``
    are the nodes of which nothing is heard.
    """

    pods: tuple[Pod, ...] = ()
    claims: tuple[ResourceClaim, ...] = ()
    gangs: tuple[Gang, ...] = ()
    malformed: str = ""
    silent: frozenset[str] = frozenset()


class Create(msgspec.Struct, frozen=True):
    """Make this object. Claims and gangs come before pods."""

    kind: Kind[Any]
    name: str
    body: dict[str, Any]


class Delete(msgspec.Struct, frozen=True):
    """Delete the object of this name if it still is the one with this uid."""

    kind: Kind[Any]
    name: str
    uid: str


class End(msgspec.Struct, frozen=True):
    """Have the node's agent end a bound pod; the object and its logs stay."""

    name: str
    uid: str


Action = Create | Delete | End


class Plan(msgspec.Struct, frozen=True):
    """What the run's status should say, what to do, and when to look again at the latest.

    ``wake_at`` is in ms since the epoch, or None where only a change of an object matters.
    """

    status: RunStatus
    actions: tuple[Action, ...] = ()
    wake_at: int | None = None

"""What every pod of this node is run with."""

from pathlib import Path

import msgspec

from shoal.agent.cardlocks import CardLocks
from shoal.agent.cgroups import Cgroups
from shoal.agent.home import Home
from shoal.agent.nodeuse import NodeUses
from shoal.core.event import Card
from shoal.kube.client import Client
from shoal.kube.events import Events


class Timing(msgspec.Struct, frozen=True):
    """How long the agent waits, in seconds.

    A container is started again at once the first time, then after 10 s, 20 s, …
    """

    first_backoff: float = 10.0
    longest_backoff: float = 300.0
    steady: float = 600.0
    """A container that ran this long is not in a crash loop."""
    first_retry: float = 0.2
    longest_retry: float = 10.0
    """Between tries of what did not work for the agent's or the machine's reasons."""


class Tools(msgspec.Struct, frozen=True):
    """The agent's parts, as a pod's runner needs them."""

    home: Home
    node: str
    boot_id: str
    client: Client
    uses: NodeUses
    events: Events
    cards: dict[str, Card]
    locks: CardLocks
    cgroups: Cgroups
    keeper: Path
    timing: Timing = Timing()

"""How long a node's lease has not been renewed, as it was watched from here. Pure.

Only time in which somebody looked counts: no clock of another process is asked, setting the
clock changes nothing, and whoever starts to watch, or slept meanwhile, has seen no silence yet.
"""

from collections.abc import Collection
from typing import Final

from shoal.api.lease import Lease

USUAL_S: Final = 40.0
"""How long a node's word holds where its lease does not say."""


class Silence:
    """The silence of each node. ``most_s`` is the most that one look may add to it."""

    def __init__(self, most_s: float) -> None:
        self._most_s = most_s
        self._looked = 0.0
        self._renewals: dict[str, str] = {}
        self._silent: dict[str, float] = {}

    def look(self, leases: Collection[Lease], now: float) -> None:
        """The leases as they are at ``now``, in seconds of a clock that never goes back."""
        passed = min(now - self._looked, self._most_s) if self._looked else 0.0
        self._looked = now
        known = {lease.metadata.name: lease.spec.renew_time or "" for lease in leases}
        for name, renewed in known.items():
            same = self._renewals.get(name) == renewed
            self._silent[name] = self._silent.get(name, 0.0) + passed if same else 0.0
        for name in self._silent.keys() - known.keys():
            self._silent[name] += passed
        self._renewals = known

    def meet(self, node: str) -> None:
        """A node is there: from now on its silence counts, whether it has a lease or not."""
        self._silent.setdefault(node, 0.0)

    def hear(self, node: str) -> None:
        """A node gave a sign of life other than its lease."""
        self._silent[node] = 0.0

    def forget(self, node: str) -> None:
        """A node is gone."""
        self._silent.pop(node, None)

    def of(self, node: str) -> float:
        """Seconds for which a node has been silent."""
        return self._silent.get(node, 0.0)

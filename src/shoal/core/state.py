"""State: the one live copy of the cluster, of who waits, and of what was decided.

A decision is assumed here when it is made. Its room stays taken until the real claims and
pods are seen, also when the confirmation comes first; a refusal gives back what was not seen.
Changed by ``core.apply`` (events) and ``core.step`` (decisions) alone.
"""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from shoal.core.book import Book
from shoal.core.charge import give, take
from shoal.core.cluster import Cluster
from shoal.core.event import Group, Hold, NodeChanged, Placed
from shoal.core.line import Line
from shoal.core.memory import Memory
from shoal.core.place import Placer


class Oddity(StrEnum):
    """What events told that did not fit what was known; counted, and lived with."""

    UNKNOWN_NODE = "unknownNode"
    UNKNOWN_CARD = "unknownCard"
    UNKNOWN_CLAIM = "unknownClaim"
    UNKNOWN_POD = "unknownPod"
    UNKNOWN_GROUP = "unknownGroup"
    UNKNOWN_DECISION = "unknownDecision"


@dataclass(slots=True)
class Flight:
    """A decision being written, or written and not yet wholly seen.

    ``claims`` and ``pods`` are those still assumed; ``spoken`` those that the cluster told
    about before the decision was answered.
    """

    group: str
    claims: dict[str, None]
    pods: dict[str, None]
    spoken: dict[str, None] = field(default_factory=dict)
    confirmed: bool = False


class State:
    """All that decisions are made from.

    ``ideal`` is the cluster with nothing held and every node open and untainted: what cannot be
    placed there can never be. ``undone`` claims are of decisions that were refused: a late word
    about that must not be taken for one about the next decision. ``changes`` counts all that may
    alter a reason, ``freed`` all that may let a group start.
    """

    def __init__(self) -> None:
        self.cluster = Cluster()
        self.placer = Placer(self.cluster)
        self.ideal = Placer(Cluster())
        self.claims: Book[Hold] = Book()
        self.pods: Book[Placed] = Book()
        self.releasing: dict[str, None] = {}
        self.line = Line()
        self.flights: dict[int, Flight] = {}
        self.flight_of: dict[str, int] = {}
        self.undone: dict[str, None] = {}
        self.next_decision = 1
        self.oddities: Counter[Oddity] = Counter()
        self.changes = 0
        self.freed = 0
        self.memory = Memory()

    def put_node(self, facts: NodeChanged) -> None:
        """A node is as told; what is held there is taken of it anew."""
        self.cluster.put_node(facts)
        self.ideal.cluster.put_node(msgspec.structs.replace(facts, closed="", taints=()))
        for hold in self.claims.on(facts.name):
            take(self.cluster, hold)
        for placed in self.pods.on(facts.name):
            take(self.cluster, placed)
        self._node_changed()

    def drop_node(self, name: str) -> None:
        """A node is gone; what is held there is kept in case it comes back."""
        self.cluster.drop_node(name)
        self.ideal.cluster.drop_node(name)
        self._node_changed()

    def count_claim(self, uid: str) -> None:
        """Take what the claim now holds instead of what it held."""
        before, now = self.claims.settle(uid)
        self.releasing.pop(uid, None)
        if any(hold.releasing for hold in now):
            self.releasing[uid] = None
        self._charge(uid, before, now)

    def count_pod(self, uid: str) -> None:
        """Take what the pod now uses of its node instead of what it used."""
        self._charge(uid, *self.pods.settle(uid))

    def put_group(self, group: Group) -> None:
        """A group waits, with these members."""
        if self.line.put(group):
            self.again(group.key)

    def drop_group(self, key: str) -> None:
        """A group waits no longer."""
        group = self.line.drop(key)
        self.memory.fresh.pop(key, None)
        self.memory.stale.pop(key, None)
        if self.undone:
            for member in group.members:
                for claim in member.claims:
                    self.undone.pop(claim.uid, None)

    def again(self, key: str) -> None:
        """Try the group, and tell about it, in the next step."""
        self.memory.fresh[key] = None
        self.memory.stale[key] = None

    def placing(self, group: Group) -> bool:
        """Whether a decision about members of the group is on its way, or was just seen."""
        placed, assumed = self.pods.counted, self.claims.assumed
        for member in group.members:
            if member.pod in placed:
                return True
            for claim in member.claims:
                if claim.uid in assumed:
                    return True
        return False

    def _charge(
        self, uid: str, before: tuple[Hold | Placed, ...], now: tuple[Hold | Placed, ...]
    ) -> None:
        for key in self.line.asked.get(uid, ()):
            self.memory.stale[key] = None
        if before == now:
            return
        for entry in before:
            give(self.cluster, entry)
        for entry in now:
            take(self.cluster, entry)
        self.changes += 1
        if before and [entry.room for entry in before] != [entry.room for entry in now]:
            self.freed += 1

    def _node_changed(self) -> None:
        self.cluster.commit()
        self.changes += 1
        self.freed += 1
        self.memory.lasting.clear()

"""Released means dead: what a claim without an allocation still holds.

A claim that was cleared or deleted goes on holding its cards while the agent of its node
lists it (in NodeUse) under the current boot. The copy of NodeUse that is watched may be older
than the claim's, so "not listed" counts only after a fresh look: ``questions`` says which nodes
to look at, ``answer`` takes what was seen.
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from shoal.api.nodeuse import NodeUse
from shoal.core.event import Hold
from shoal.mirror.holds import listed_hold, node_of
from shoal.mirror.objects import Objects


class Releases:
    """The claims on their way back to free capacity."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._to_ask: dict[str, str] = {}
        self._asked: set[str] = set()
        self._free: set[str] = set()
        self._boots: dict[str, str] = {}
        self._dead_boots: dict[str, str] = {}

    def still_held(self, uid: str, last: Hold | None) -> Hold | None:
        """What is held by a claim that has no allocation now and held ``last`` before."""
        last = last or self._as_listed(uid)
        if last is None or last.node not in self._objects.nodes:
            self.forget(uid)
            return None
        if self._is_listed(uid, self._objects.uses.get(last.node)):
            return replace(last, releasing=True)
        if uid in self._free:
            self.forget(uid)
            return None
        if uid not in self._asked:
            self._to_ask[uid] = last.node
        return replace(last, releasing=True)

    def forget(self, uid: str) -> None:
        """The claim is gone, or allocated anew."""
        self._to_ask.pop(uid, None)
        self._asked.discard(uid)
        self._free.discard(uid)

    def see_boot(self, node: str, boot: str) -> None:
        """The node runs under this boot now: what was listed under the one before is dead."""
        before = self._boots.get(node, "")
        if before and boot and before != boot:
            self._dead_boots[node] = before
        self._boots[node] = boot

    def see_dropped(self, before: NodeUse, now: NodeUse, holds: Mapping[str, Hold]) -> None:
        """The agent itself took claims off its list: no need to ask about those let go."""
        for held in before.status.held:
            hold = holds.get(held.uid)
            if hold is not None and hold.releasing and not self._is_listed(held.uid, now):
                self._free.add(held.uid)

    def questions(self) -> dict[str, list[str]]:
        """Claims (by uid) to be asked about, by node; each is handed out once."""
        by_node: dict[str, list[str]] = {}
        for uid, node in self._to_ask.items():
            by_node.setdefault(node, []).append(uid)
        self._asked.update(self._to_ask)
        self._to_ask.clear()
        return by_node

    def answer(self, uids: Iterable[str], use: NodeUse | None) -> list[str]:
        """What NodeUse says, read after the question was handed out; the claims it lets go."""
        asked = [uid for uid in uids if uid in self._asked]
        self._asked.difference_update(asked)
        free = [uid for uid in asked if not self._is_listed(uid, use)]
        self._free.update(free)
        return free

    def has_strays(self, node: str, holds: Mapping[str, Hold]) -> bool:
        """Whether the agent holds claims of which nobody knows what they held.

        So it may be after a restart, when a claim was deleted while its program lived on.
        """
        use = self._objects.uses.get(node)
        if use is None:
            return False
        return any(
            self._is_listed(held.uid, use) and not self._is_known(held.uid, node, holds)
            for held in use.status.held
        )

    def _as_listed(self, uid: str) -> Hold | None:
        """What an agent says of a claim that it holds, for want of the claim itself."""
        for node in self._objects.holders_of(uid):
            use = self._objects.uses[node]
            if self._is_listed(uid, use):
                held = next(held for held in use.status.held if held.uid == uid)
                return listed_hold(held, node) if held.devices else None
        return None

    def _is_known(self, uid: str, node: str, holds: Mapping[str, Hold]) -> bool:
        claim = self._objects.claim(uid)
        if claim is not None and node_of(claim) == node:
            return True
        return uid in holds and holds[uid].node == node

    def _is_listed(self, uid: str, use: NodeUse | None) -> bool:
        if use is None or use.status.boot_id == self._dead_boots.get(use.metadata.name):
            return False
        return any(held.uid == uid for held in use.status.held)

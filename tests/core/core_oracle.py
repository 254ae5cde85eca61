"""An oracle: whether a group can be placed, by trying everything, written without the placer."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from shoal.core.event import (
    AnyEvent,
    ClaimAsk,
    Group,
    Hold,
    HoldChanged,
    Member,
    NodeChanged,
    Placed,
    PodPlaced,
)

CardKey = tuple[str, int]


class Oracle:
    """What is free, worked out from nodes, holds and pods that were told in order."""

    def __init__(self, told: Iterable[AnyEvent], *, empty: bool = False) -> None:
        self.nodes: dict[str, NodeChanged] = {}
        self.mib: dict[CardKey, int] = {}
        self.milli: dict[CardKey, int] = {}
        self.users: dict[CardKey, int] = {}
        self.cpu: dict[str, int] = {}
        self.memory: dict[str, int] = {}
        self.ignore_closed = empty
        for event in told:
            if isinstance(event, NodeChanged):
                self._add_node(event)
            elif isinstance(event, HoldChanged) and not empty:
                self.take(event.hold)
            elif isinstance(event, PodPlaced) and not empty:
                self.seat(event.placed)

    def take(self, hold: Hold, sign: int = 1) -> None:
        for part in hold.parts:
            key = (hold.node, int(part.card.removeprefix("gpu-")))
            self.mib[key] -= sign * part.memory_mib
            self.milli[key] -= sign * part.milli
            self.users[key] += sign

    def seat(self, placed: Placed, sign: int = 1) -> None:
        self.cpu[placed.node] -= sign * placed.cpu_milli
        self.memory[placed.node] -= sign * placed.memory_mib

    def can_place(self, group: Group) -> bool:
        """Whether there is a place for all members at once."""
        if len(group.members) < group.size or any(member.blocked for member in group.members):
            return False
        return self._place(group, list(group.members), frozenset())

    def _add_node(self, node: NodeChanged) -> None:
        self.nodes[node.name] = node
        self.cpu[node.name], self.memory[node.name] = node.cpu_milli, node.memory_mib
        for at, card in enumerate(node.cards):
            key = (node.name, at)
            self.mib[key], self.milli[key], self.users[key] = card.memory_mib, 1000, 0

    def _place(self, group: Group, left: list[Member], barred: frozenset[CardKey]) -> bool:
        if not left:
            return True
        member, rest = left[0], left[1:]
        for node in self.nodes.values():
            if not self.suits(node, member):
                continue
            self.cpu[node.name] -= member.cpu_milli
            self.memory[node.name] -= member.memory_mib
            found = any(
                self._place(group, rest, barred if group.pack else barred | used)
                for used in self._ways(node, list(member.claims), barred)
            )
            self.cpu[node.name] += member.cpu_milli
            self.memory[node.name] += member.memory_mib
            if found:
                return True
        return False

    def suits(self, node: NodeChanged, member: Member) -> bool:
        return (
            (self.ignore_closed or not node.closed)
            and (not member.pinned or member.pinned == node.name)
            and (member.host_image or node.containers)
            and all(pair in node.labels for pair in member.node_selector)
            and (self.ignore_closed or tolerates(member, node))
            and (member.cpu_milli == 0 or self.cpu[node.name] >= member.cpu_milli)
            and (member.memory_mib == 0 or self.memory[node.name] >= member.memory_mib)
        )

    def _ways(
        self, node: NodeChanged, claims: list[ClaimAsk], barred: frozenset[CardKey]
    ) -> Iterator[frozenset[CardKey]]:
        """Each way to serve the claims, taken while the caller looks at it."""
        if not claims:
            yield frozenset()
            return
        share = claims[0].share
        keys = [(node.name, at) for at in range(len(node.cards))]
        for chosen in combinations(keys, share.count):
            if not all(self.fits(key, claims[0]) and key not in barred for key in chosen):
                continue
            self._hold(node, chosen, claims[0], 1)
            try:
                for more in self._ways(node, claims[1:], barred):
                    yield more | frozenset(chosen)
            finally:
                self._hold(node, chosen, claims[0], -1)

    def fits(self, key: CardKey, claim: ClaimAsk) -> bool:
        card, share = self.nodes[key[0]].cards[key[1]], claim.share
        if not share.allows(card.model):
            return False
        if share.milli == 1000 and share.memory_mib == 0 and self.users[key]:
            return False
        need = share.memory_mib or card.memory_mib * share.milli // 1000
        return self.mib[key] >= need and self.milli[key] >= share.milli

    def _hold(self, node: NodeChanged, keys: Iterable[CardKey], claim: ClaimAsk, sign: int) -> None:
        for key in keys:
            whole = node.cards[key[1]].memory_mib
            need = claim.share.memory_mib or whole * claim.share.milli // 1000
            self.mib[key] -= sign * need
            self.milli[key] -= sign * claim.share.milli
            self.users[key] += sign


def tolerates(member: Member, node: NodeChanged) -> bool:
    """Whether every taint of the node is covered, field by field, by some toleration."""
    return all(
        any(
            (not one.key or one.key == taint.key)
            and (not one.effect or one.effect == taint.effect)
            and (one.value is None or one.value == taint.value)
            for one in member.tolerations
        )
        for taint in node.taints
    )

"""Suits: which nodes a member may go to at all, however much is free.

Most members ask for nothing special, and most nodes are alike in this, so that what is true of
every node is kept as a byte for each.
"""

from operator import and_
from typing import Final

from shoal.core.event import NodeChanged
from shoal.core.shape import MemberShape
from shoal.core.taints import untolerated

_NOBODY: Final = frozenset[tuple[str, str]]()


class Suits:
    """The nodes by number. ``open`` ones take work, ``containers`` run images."""

    __slots__ = ("_containers", "_labels", "_open", "_taints", "facts")

    def __init__(self) -> None:
        self.facts: list[NodeChanged | None] = []
        self._open = bytearray()
        self._containers = bytearray()
        self._labels: list[frozenset[tuple[str, str]]] = []
        self._taints: dict[int, NodeChanged] = {}

    def put(self, number: int, facts: NodeChanged) -> bool:
        """A node is as told; whether that may matter to whom it suits."""
        if number == len(self.facts):
            self.facts.append(None)
            self._open.append(0)
            self._containers.append(0)
            self._labels.append(_NOBODY)
        before = self.facts[number]
        self.facts[number] = facts
        self._open[number] = not facts.closed
        self._containers[number] = facts.containers
        self._labels[number] = frozenset(facts.labels)
        self._taints.pop(number, None)
        if facts.taints:
            self._taints[number] = facts
        return before is None or _traits(before) != _traits(facts)

    def drop(self, number: int) -> None:
        """A node is gone."""
        self.facts[number] = None
        self._open[number] = 0
        self._labels[number] = _NOBODY
        self._taints.pop(number, None)

    def all(self, shape: MemberShape) -> bytearray:
        """By node, whether the member may go there."""
        if shape.pinned:
            return self._pinned(shape)
        found = bytearray(self._open)
        if not shape.host_image:
            found = bytearray(map(and_, found, self._containers))
        if shape.node_selector:
            wanted = frozenset(shape.node_selector)
            found = bytearray(map(and_, found, map(wanted.issubset, self._labels)))
        for number, facts in self._taints.items():
            found[number] &= not untolerated(facts.taints, shape.tolerations)
        return found

    def one(self, number: int, shape: MemberShape) -> bool:
        """Whether the member may go to one node."""
        facts = self.facts[number]
        return (
            facts is not None
            and not facts.closed
            and not untolerated(facts.taints, shape.tolerations)
            and shape.pinned in ("", facts.name)
            and (shape.host_image or facts.containers)
            and self._labels[number].issuperset(shape.node_selector)
        )

    def _pinned(self, shape: MemberShape) -> bytearray:
        found = bytearray(len(self.facts))
        for number, facts in enumerate(self.facts):
            if facts is not None and facts.name == shape.pinned:
                found[number] = self.one(number, shape)
        return found


def _traits(facts: NodeChanged) -> tuple[object, ...]:
    return (facts.name, bool(facts.closed), facts.containers, facts.labels, facts.taints)

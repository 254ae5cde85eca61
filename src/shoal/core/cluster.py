"""Cluster: what is left of every node and card, in integers, with a journal.

Numbers only: who holds what is kept by ``core.book``. Every change appends its inverse to the
journal, so that a trial is rolled back instead of the cluster being cloned. What is left may
be below 0 where more is held than a node that shrank still has; then nothing there is free.
"""

from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

from shoal.core.event import Card, NodeChanged
from shoal.core.shape import MemberShape
from shoal.core.taints import untolerated
from shoal.units.gpu import WHOLE

_NODE = -1
"""In a move: the node itself instead of one of its cards."""


class NodeRoom:
    """What is left of one node: mCPU and MiB, and per card MiB, milli-card and its users.

    ``kinds`` are the different (model, MiB) of its cards, ``kind_of`` tells each card's.
    ``barred`` counts, per card, the members of the gang being placed that keep others away.
    """

    __slots__ = (
        "barred",
        "cards",
        "cpu_left",
        "facts",
        "index",
        "kind_of",
        "kinds",
        "labels",
        "memory_left",
        "mib_left",
        "milli_left",
        "users",
    )

    def __init__(self, facts: NodeChanged) -> None:
        self.facts = facts
        self.cards: tuple[Card, ...] = facts.cards
        kinds = [(card.model, card.memory_mib) for card in facts.cards]
        self.kinds = list(dict.fromkeys(kinds))
        self.kind_of = [self.kinds.index(kind) for kind in kinds]
        self.labels = frozenset(facts.labels)
        self.index = {card.name: at for at, card in enumerate(facts.cards)}
        self.cpu_left = facts.cpu_milli
        self.memory_left = facts.memory_mib
        self.mib_left = [card.memory_mib for card in facts.cards]
        self.milli_left = [WHOLE] * len(facts.cards)
        self.users = [0] * len(facts.cards)
        self.barred = [0] * len(facts.cards)

    def copy(self) -> "NodeRoom":
        """The same with what is left of its cards apart, to try several shares on."""
        other = copy(self)
        other.mib_left = self.mib_left.copy()
        other.milli_left = self.milli_left.copy()
        other.users = self.users.copy()
        return other

    def suits(self, shape: MemberShape) -> bool:
        """Whether the member may go here at all, however much is free."""
        return (
            not self.facts.closed
            and not untolerated(self.facts.taints, shape.tolerations)
            and shape.pinned in ("", self.facts.name)
            and (shape.host_image or self.facts.containers)
            and self.labels.issuperset(shape.node_selector)
        )


class Move(NamedTuple):
    """A change of what is left: taken when positive, given back when negative.

    ``card`` is an index, or below 0 for CPU (``milli``) and memory (``mib``) of the node.
    """

    node: str
    card: int
    mib: int
    milli: int
    users: int = 0
    barred: int = 0


class Cluster:
    """The nodes by name, the journal, and the order in which nodes were last touched.

    ``version`` counts changes of any kind, ``layout`` nodes that went.
    """

    __slots__ = ("_journal", "_touched", "layout", "nodes", "version")

    def __init__(self) -> None:
        self.nodes: dict[str, NodeRoom] = {}
        self.version = 0
        self.layout = 0
        self._touched: dict[str, int] = {}
        self._journal: list[Move] = []

    def put_node(self, facts: NodeChanged) -> None:
        """Add or replace a node; all of it is left. What is held there must be taken again."""
        self.nodes[facts.name] = NodeRoom(facts)
        self.touch(facts.name)

    def drop_node(self, name: str) -> None:
        """Forget a node."""
        del self.nodes[name]
        del self._touched[name]
        self.version += 1
        self.layout += 1

    def take_card(self, node: str, card: int, mib: int, milli: int) -> None:
        """Take a part of a card for one more user."""
        self._do(Move(node, card, mib, milli, users=1))

    def give_card(self, node: str, card: int, mib: int, milli: int) -> None:
        """Give back what one user took of a card."""
        self._do(Move(node, card, -mib, -milli, users=-1))

    def bar_card(self, node: str, card: int) -> None:
        """Keep the card from everybody until this is rolled back."""
        self._do(Move(node, card, 0, 0, barred=1))

    def take_node(self, node: str, cpu_milli: int, memory_mib: int) -> None:
        """Take CPU and memory of a node."""
        self._do(Move(node, _NODE, memory_mib, cpu_milli))

    def give_node(self, node: str, cpu_milli: int, memory_mib: int) -> None:
        """Give back CPU and memory of a node."""
        self._do(Move(node, _NODE, -memory_mib, -cpu_milli))

    def checkpoint(self) -> int:
        """A place in the journal to roll back to."""
        return len(self._journal)

    def rollback(self, checkpoint: int) -> None:
        """Undo every change of room since the checkpoint, exactly."""
        while len(self._journal) > checkpoint:
            self._apply(self._journal.pop(), -1)

    def commit(self) -> None:
        """Make the changes final: they can no longer be rolled back."""
        self._journal.clear()

    def touched_since(self, version: int) -> Iterator[str]:
        """Names of the nodes there are that changed after a version, the last one first."""
        for name, at in reversed(self._touched.items()):
            if at <= version:
                return
            yield name

    def touch(self, node: str) -> None:
        """Note that something about a node changed, be it only who holds it until when."""
        self.version += 1
        self._touched.pop(node, None)
        self._touched[node] = self.version

    def _do(self, move: Move) -> None:
        self._journal.append(move)
        self._apply(move, 1)

    def _apply(self, move: Move, sign: int) -> None:
        room = self.nodes[move.node]
        if move.card == _NODE:
            room.cpu_left -= sign * move.milli
            room.memory_left -= sign * move.mib
        else:
            room.mib_left[move.card] -= sign * move.mib
            room.milli_left[move.card] -= sign * move.milli
            room.users[move.card] += sign * move.users
            room.barred[move.card] += sign * move.barred
        self.touch(move.node)

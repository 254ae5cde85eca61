"""Cluster: the nodes by name, and what is left of them, which an engine keeps.

The engine knows numbers only; here they have names and facts. Numbers of nodes that went are
given again. Who holds what is kept by ``core.book``. What is left may be below 0 where more is
held than a node that shrank still has; then nothing there is free.
"""

from collections import Counter
from typing import Final

from shoal.core.bounds import MOST_HOST, MOST_MIB
from shoal.core.classes import FIRST_MODELS, Classes
from shoal.core.engine.native import NativeEngine
from shoal.core.engine.policy import Policy
from shoal.core.engine.spec import MOST_CARDS, CardSpec, NodeLeft, NodeSpec
from shoal.core.event import Card, NodeChanged
from shoal.core.order import Order
from shoal.core.suits import Suits

POLICY: Final = Policy.BINPACK
"""How places are ranked on a live cluster."""


class Node:
    """What is known of a node besides what is left of it.

    ``cards`` are as many of its cards as an engine takes, ``index`` finds them by name,
    ``models`` counts them.
    """

    __slots__ = ("cards", "facts", "index", "models", "number")

    def __init__(self, facts: NodeChanged, number: int) -> None:
        self.facts = facts
        self.number = number
        self.cards: tuple[Card, ...] = facts.cards[:MOST_CARDS]
        self.index = {card.name: at for at, card in enumerate(self.cards)}
        self.models = Counter(card.model for card in self.cards)


class Cluster:
    """The nodes by name and by number, over one engine."""

    __slots__ = ("_free", "_order", "by_number", "classes", "engine", "nodes", "suits")

    def __init__(self) -> None:
        self.engine = NativeEngine(FIRST_MODELS)
        self.engine.set_policy(POLICY)
        self.suits = Suits()
        self.classes = Classes(self.engine, self.suits)
        self.nodes: dict[str, Node] = {}
        self.by_number: dict[int, Node] = {}
        self._order = Order()
        self._free: list[int] = []

    def put_node(self, facts: NodeChanged) -> None:
        """Add or replace a node; all of it is left. What is held there must be taken again."""
        known = self.nodes.get(facts.name)
        if known is None:
            number = self._free.pop() if self._free else len(self.by_number)
            self._rank(facts.name)
        else:
            number = known.number
        node = Node(facts, number)
        self.nodes[facts.name] = self.by_number[number] = node
        self.classes.add_models(card.model for card in node.cards)
        self.engine.put_node(number, self._spec(node), self._order.ranks[facts.name])
        if self.suits.put(number, facts):
            self.classes.node_changed(number)

    def drop_node(self, name: str) -> None:
        """Forget a node."""
        number = self.nodes.pop(name).number
        del self.by_number[number]
        self._order.remove(name)
        self.suits.drop(number)
        self.engine.drop_node(number)
        self._free.append(number)

    def left(self, name: str) -> NodeLeft:
        """What is left of a node."""
        left = self.engine.left(self.nodes[name].number)
        assert left is not None, name
        return left

    def name(self, number: int) -> str:
        """The name of a node."""
        return self.by_number[number].facts.name

    def commit(self) -> None:
        """Make all changes final: they can no longer be rolled back."""
        self.engine.commit()
        self.classes.trim()

    def _rank(self, name: str) -> None:
        if self._order.add(name):
            for other, node in self.nodes.items():
                self.engine.set_rank(node.number, self._order.ranks[other])

    def _spec(self, node: Node) -> NodeSpec:
        model = self.classes.model
        cards = tuple(
            CardSpec(model(card.model), min(card.memory_mib, MOST_MIB)) for card in node.cards
        )
        cpu, memory = node.facts.cpu_milli, node.facts.memory_mib
        return NodeSpec(min(cpu, MOST_HOST), min(memory, MOST_HOST), cards)

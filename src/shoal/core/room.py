"""Room: a look at one node, to try things on that the engine does not know."""

from copy import copy

from shoal.core.cluster import Cluster, Node


class NodeRoom:
    """What is left of one node: mCPU and MiB, and per card MiB, milli-card and its users.

    ``kinds`` are the different (model, MiB) of its cards, ``kind_of`` tells each card's.
    ``barred`` counts, per card, the members of the gang being placed that keep others away.
    """

    __slots__ = (
        "barred",
        "cards",
        "cpu_left",
        "kind_of",
        "kinds",
        "memory_left",
        "mib_left",
        "milli_left",
        "name",
        "users",
    )

    def __init__(self, cluster: Cluster, node: Node) -> None:
        left = cluster.left(node.facts.name)
        self.name = node.facts.name
        self.cards = node.cards
        kinds = [(card.model, card.memory_mib) for card in node.cards]
        self.kinds = list(dict.fromkeys(kinds))
        self.kind_of = [self.kinds.index(kind) for kind in kinds]
        self.cpu_left = left.cpu
        self.memory_left = left.memory
        self.mib_left = [card.mib for card in left.cards]
        self.milli_left = [card.milli for card in left.cards]
        self.users = [card.users for card in left.cards]
        self.barred = [card.barred for card in left.cards]

    def copy(self) -> "NodeRoom":
        """The same with what is left of its cards apart, to try several shares on."""
        other = copy(self)
        other.mib_left = self.mib_left.copy()
        other.milli_left = self.milli_left.copy()
        other.users = self.users.copy()
        return other

"""What claims and pods take of a cluster. What names an unknown node or card takes nothing."""

from shoal.core.cluster import Cluster
from shoal.core.event import Hold, Placed


def take(cluster: Cluster, entry: Hold | Placed) -> None:
    """Take the room of a claim or pod."""
    _move(cluster, entry, 1)


def give(cluster: Cluster, entry: Hold | Placed) -> None:
    """Give back the room of a claim or pod."""
    _move(cluster, entry, -1)


def _move(cluster: Cluster, entry: Hold | Placed, sign: int) -> None:
    node = cluster.nodes.get(entry.node)
    if node is None:
        return
    engine = cluster.engine
    if isinstance(entry, Placed):
        engine.take_node(node.number, sign * entry.cpu_milli, sign * entry.memory_mib)
        return
    for part in entry.parts:
        card = node.index.get(part.card)
        if card is not None:
            milli, mib = sign * part.milli, sign * part.memory_mib
            engine.take_card(node.number, card, milli, mib, users=sign)

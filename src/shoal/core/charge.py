"""What claims and pods take of a cluster. What names an unknown node or card takes nothing."""

from shoal.core.bounds import MOST_HOST, MOST_MIB, MOST_MILLI
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
        cpu, memory = min(entry.cpu_milli, MOST_HOST), min(entry.memory_mib, MOST_HOST)
        engine.take_node(node.number, sign * cpu, sign * memory)
        return
    for part in entry.parts:
        card = node.index.get(part.card)
        if card is not None:
            milli, mib = min(part.milli, MOST_MILLI), min(part.memory_mib, MOST_MIB)
            engine.take_card(node.number, card, sign * milli, sign * mib, users=sign)

"""What claims and pods take of a cluster. What names an unknown node or card takes nothing."""

from collections.abc import Iterator

from shoal.core.cluster import Cluster
from shoal.core.event import Hold, Part, Placed


def take(cluster: Cluster, entry: Hold | Placed) -> None:
    """Take the room of a claim or pod."""
    if isinstance(entry, Placed):
        if entry.node in cluster.nodes:
            cluster.take_node(entry.node, entry.cpu_milli, entry.memory_mib)
        return
    for card, part in known_parts(cluster, entry):
        cluster.take_card(entry.node, card, part.memory_mib, part.milli)


def give(cluster: Cluster, entry: Hold | Placed) -> None:
    """Give back the room of a claim or pod."""
    if isinstance(entry, Placed):
        if entry.node in cluster.nodes:
            cluster.give_node(entry.node, entry.cpu_milli, entry.memory_mib)
        return
    for card, part in known_parts(cluster, entry):
        cluster.give_card(entry.node, card, part.memory_mib, part.milli)


def known_parts(cluster: Cluster, hold: Hold) -> Iterator[tuple[int, Part]]:
    """The parts of cards that exist, with the cards' indices."""
    room = cluster.nodes.get(hold.node)
    if room is None:
        return
    for part in hold.parts:
        card = room.index.get(part.card)
        if card is not None:
            yield card, part

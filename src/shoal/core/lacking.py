"""What keeps a group from each node, counted."""

from collections import Counter
from typing import Final

from shoal.core.engine.spec import Lack
from shoal.core.report import Lacking
from shoal.core.shape import GroupShape
from shoal.core.state import State


def lacking(state: State, shape: GroupShape) -> dict[Lacking, int]:
    """How many nodes lack what for the first member; empty where that says nothing new.

    So it is with one node, and with a member of several claims, each of which may lack another
    thing.
    """
    member, cluster = shape.members[0], state.cluster
    if len(cluster.nodes) < 2 or len(member.shares) > 1:
        return {}
    found: Counter[Lacking] = Counter()
    for lack, nodes in cluster.engine.tally(cluster.classes.number(member)).items():
        found[_LACKING[lack]] += nodes
    closed = sum(bool(node.facts.closed) for node in cluster.nodes.values())
    found[Lacking.CLOSED] += closed
    found[Lacking.SUITED] -= closed
    return {what: found[what] for what in Lacking if found[what]}


_LACKING: Final = {lack: Lacking[lack.name] for lack in Lack}

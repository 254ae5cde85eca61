"""In which order pods arrive, and which node comes first among equals: all from one seed.

The protocol of the published figures (Weng et al., USENIX ATC'23): the pods of the trace in a
random order, then clones of random pods until the wanted load has arrived. Random numbers are
those of Python's ``random.Random(seed)``, drawn in this order: the shuffle of the pods, the
clones, the shuffle of the nodes.
"""

import random
from collections.abc import Sequence

import msgspec

from shoal.sim.trace import Trace, TracePod


class Arrivals(msgspec.Struct, frozen=True):
    """``pods`` are indices into the trace's pods; ``ranks`` tells by node which comes first."""

    seed: int
    pods: tuple[int, ...]
    ranks: tuple[int, ...]


def arrivals_of(trace: Trace, load: int, seed: int) -> Arrivals:
    """Until ``load`` thousandths of all cards were asked for."""
    draw = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    order = list(range(len(trace.pods)))
    draw.shuffle(order)
    _fit_to(trace.pods, order, trace.capacity * load // 1000, draw)
    ranks = list(range(len(trace.nodes)))
    draw.shuffle(ranks)
    return Arrivals(seed, tuple(order), tuple(ranks))


def _fit_to(pods: Sequence[TracePod], order: list[int], target: int, draw: random.Random) -> None:
    """Add clones of pods, or drop some.

    The published protocol ends at the first clone of which one card would be too much, so the
    last one it takes may go beyond the target with its other cards.
    """
    arrived = sum(pods[at].asked for at in order)
    if arrived > target:
        while arrived > target:
            arrived -= pods[order.pop(draw.randrange(len(order)))].asked
        return
    while arrived + pods[at := draw.randrange(len(pods))].milli <= target:
        order.append(at)
        arrived += pods[at].asked

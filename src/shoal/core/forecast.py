"""When a group starts at the latest, by letting what has a known end end, in order of time."""

from itertools import groupby, islice
from typing import Final, NamedTuple

from shoal.core.charge import give
from shoal.core.event import Hold, Placed
from shoal.core.line import Waiting
from shoal.core.place import Spot
from shoal.core.reasons import not_ready
from shoal.core.report import Forecast
from shoal.core.shape import GroupShape
from shoal.core.state import State

_MOST_ENDS: Final = 256
"""Moments that are looked at."""
_MOST_AHEAD: Final = 32
"""Groups ahead in the line that are let go first."""


class _End(NamedTuple):
    at: int
    owner: str
    uid: str
    entry: Hold | Placed


def forecast(state: State, shape: GroupShape, ahead: list[Waiting], now: int) -> Forecast:
    """The first known end after which the shape can be placed, those ahead of it having had
    their turn. What is placed in the meantime is taken not to end.
    """
    start = state.cluster.engine.checkpoint()
    try:
        return _play(state, shape, _able(state, ahead), now)
    finally:
        state.cluster.engine.rollback(start)


def _play(state: State, shape: GroupShape, ahead: list[Waiting], now: int) -> Forecast:
    moments = groupby(_ends(state, now), key=lambda end: end.at)
    for at, ending in islice(moments, _MOST_ENDS):
        ended = list(ending)
        for end in ended:
            give(state.cluster, end.entry)
        ahead = _let_go(state, ahead)
        spots = state.placer.place(shape)
        if spots is not None:
            return Forecast(at, _whose(state, ended, spots))
    return Forecast()


def _ends(state: State, now: int) -> list[_End]:
    """What is known to end, by time. What is just ending ends now."""
    found = []
    for book in (state.claims.counted, state.pods.counted):
        for uid, entries in book.items():
            for entry in entries:
                at = now if isinstance(entry, Hold) and entry.releasing else entry.ends_at
                if at:
                    found.append(_End(max(at, now), entry.owner, uid, entry))
    return sorted(found, key=lambda end: end[:3])


def _able(state: State, ahead: list[Waiting]) -> list[Waiting]:
    able = (
        waiting
        for waiting in ahead
        if not state.placing(waiting.group) and not_ready(state, waiting.group) is None
    )
    return list(islice(able, _MOST_AHEAD))


def _let_go(state: State, ahead: list[Waiting]) -> list[Waiting]:
    """Place those ahead that fit now; answers those that still wait."""
    still = []
    for waiting in ahead:
        spots = state.placer.place(waiting.shape)
        if spots is None:
            still.append(waiting)
        else:
            state.placer.take_all(waiting.shape, spots)
    return still


def _whose(state: State, ended: list[_End], spots: tuple[Spot, ...]) -> str:
    """Whose end made the room: first of those that held a card that is given now."""
    nodes = state.cluster.nodes
    given = {
        (spot.node, nodes[spot.node].cards[at].name)
        for spot in spots
        for cards in spot.cards
        for at in cards
    }
    for end in ended:
        if isinstance(end.entry, Hold):
            held = {(end.entry.node, part.card) for part in end.entry.parts}
            if held & given:
                return end.owner
    there = {spot.node for spot in spots}
    return next((end.owner for end in ended if end.entry.node in there), ended[0].owner)

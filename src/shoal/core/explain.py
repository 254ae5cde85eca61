"""Why a group waits: the reason, the cards it could use, when it starts, what would be sooner."""

from shoal.core.board import card_line
from shoal.core.forecast import forecast
from shoal.core.holders import usable_cards
from shoal.core.lacking import lacking
from shoal.core.line import Waiting
from shoal.core.reason import Code
from shoal.core.reasons import not_ready, reason_of
from shoal.core.report import CardLine, Explanation, Forecast
from shoal.core.shape import GroupShape
from shoal.core.sooner import sooner
from shoal.core.state import State

NOT_FOR_ROOM = frozenset({Code.GANG_INCOMPLETE, Code.CLAIM_MISSING, Code.RETRYING})
"""Reasons that have nothing to do with what is free."""
NEVER = frozenset({Code.TOO_LARGE, Code.NO_MODEL})
"""Reasons that would hold even if nothing else ran."""
NOTHING_HERE = NEVER | {Code.SELECTOR, Code.NO_RUNTIME}
"""Reasons that no end of anything else takes away: there is nothing to line up for."""


def explain(state: State, key: str, now: int) -> Explanation | None:
    """All there is to say about a group in the line; None if there is no such group.

    Changes nothing. ``now`` is ms since the epoch.
    """
    waiting = state.line.get(key)
    if waiting is None:
        return None
    group, shape = waiting.group, waiting.shape
    ahead = sorted(
        (other for other in state.line.values() if other.turn < waiting.turn and _lines_up(other)),
        key=lambda other: other.turn,
    )
    turn, cards = len(ahead) + 1, _cards(state, shape)
    if state.placing(group) or _starts_next(state, waiting, now):
        return Explanation(key, group.owner, turn, placing=True, cards=cards)
    reason = reason_of(state, waiting, now)
    if reason.code in NOT_FOR_ROOM:
        return Explanation(key, group.owner, turn, reason=reason, cards=cards)
    alternatives = sooner(state, group)
    if reason.code in NOTHING_HERE:
        turn, coming = 0, Forecast()
    else:
        coming = forecast(state, shape, ahead, now)
    lacks = lacking(state, shape)
    return Explanation(
        key,
        group.owner,
        turn,
        reason=reason,
        cards=cards,
        forecast=coming,
        sooner=alternatives,
        lacking=lacks,
    )


def _lines_up(waiting: Waiting) -> bool:
    """Whether a group has a place in the line, by what it was told last."""
    return waiting.told is None or waiting.told.code not in NOTHING_HERE


def _starts_next(state: State, waiting: Waiting, now: int) -> bool:
    """Whether the next step would give it a place: it may just be tried again."""
    ready = waiting.retry_at <= now and not_ready(state, waiting.group) is None
    return ready and state.placer.place(waiting.shape) is not None


def _cards(state: State, shape: GroupShape) -> tuple[CardLine, ...]:
    """The cards that some member could use, by node."""
    lines = []
    for name, node in sorted(state.cluster.nodes.items()):
        usable = usable_cards(state.cluster, node, shape)
        if usable:
            left = state.cluster.left(name).cards
            lines += [card_line(state, node, at, left[at]) for at in usable]
    return tuple(lines)

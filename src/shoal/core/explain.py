"""Why a group waits: the reason, the cards it could use, when it starts, what would be sooner."""

from shoal.core.board import card_line
from shoal.core.forecast import forecast
from shoal.core.reason import Code
from shoal.core.reasons import not_ready, reason_of
from shoal.core.report import CardLine, Explanation, Forecast
from shoal.core.shape import GroupShape
from shoal.core.shortage import allowed_cards, suitable
from shoal.core.sooner import sooner
from shoal.core.state import State, Waiting

NOT_FOR_ROOM = frozenset({Code.GANG_INCOMPLETE, Code.CLAIM_MISSING, Code.RETRYING})
"""Reasons that have nothing to do with what is free."""
NEVER = frozenset({Code.TOO_LARGE, Code.NO_MODEL})
"""Reasons that would hold even if nothing else ran."""


def explain(state: State, key: str, now: int) -> Explanation | None:
    """All there is to say about a group in the line; None if there is no such group.

    Changes nothing. ``now`` is ms since the epoch.
    """
    waiting = state.line.get(key)
    if waiting is None:
        return None
    group, shape = waiting.group, waiting.shape
    ahead = sorted(
        (other for other in state.line.values() if other.turn < waiting.turn),
        key=lambda other: other.turn,
    )
    turn, cards = len(ahead) + 1, _cards(state, shape)
    if state.placing(group) or _starts_next(state, waiting, now):
        return Explanation(key, group.owner, turn, placing=True, cards=cards)
    reason = reason_of(state, waiting, now)
    if reason.code in NOT_FOR_ROOM:
        return Explanation(key, group.owner, turn, reason=reason, cards=cards)
    never = reason.code in NEVER
    return Explanation(
        key,
        group.owner,
        turn,
        reason=reason,
        cards=cards,
        forecast=Forecast() if never else forecast(state, shape, ahead, now),
        sooner=sooner(state, group),
    )


def _starts_next(state: State, waiting: Waiting, now: int) -> bool:
    """Whether the next step would give it a place: it may just be tried again."""
    ready = waiting.retry_at <= now and not_ready(state, waiting.group) is None
    return ready and state.placer.place(waiting.shape) is not None


def _cards(state: State, shape: GroupShape) -> tuple[CardLine, ...]:
    """The cards that some member could use, by node."""
    found = {
        (room.facts.name, at): room
        for member in dict.fromkeys(shape.members)
        for share in member.shares
        for room, at in allowed_cards(suitable(state.placer, member), share)
    }
    return tuple(card_line(state, room, at) for (_, at), room in sorted(found.items(), key=_place))


def _place(found: tuple[tuple[str, int], object]) -> tuple[str, int]:
    return found[0]

"""Explanations and plans in words, one line each thing."""

from typing import Final

from shoal.core.reason import Code, Reason
from shoal.core.report import (
    Alternative,
    Explanation,
    Forecast,
    Lacking,
    Plan,
    PlannedCard,
    PlannedMember,
    Verdict,
)
from shoal.core.words.cards import join, one_card, several_cards
from shoal.core.words.holders import Clock
from shoal.core.words.reasons import say_reason, say_wait
from shoal.units.gpu import WHOLE, format_share
from shoal.units.quantity import say_mib


def say_explanation(answer: Explanation, clock: Clock, *, cluster: bool = False) -> list[str]:
    """Why a group waits, when it starts, and what would be sooner. The cards are the caller's."""
    if answer.reason is None:
        return [f"{answer.owner} has a place and is about to start."]
    lines = [f"{answer.owner} waits: {say_reason(answer.reason, clock, cluster=cluster)}."]
    if answer.lacking:
        lines.append(f"{say_lacking(answer.lacking)}.")
    if answer.turn:
        lines.append(f"It has place {answer.turn} in the line.")
    lines += say_forecast(answer.forecast, answer.reason, clock)
    sooner = say_sooner(answer.sooner, cluster=cluster)
    if sooner and answer.turn == 1:
        sooner += " · a higher priority would not help (nothing here may be stopped)"
    return [*lines, f"Sooner: {sooner}"] if sooner else lines


def say_lacking(lacking: dict[Lacking, int]) -> str:
    """``500 nodes: 420 lack free cards, 80 are closed``."""
    counted = (f"{nodes} {_LACKS[what][nodes > 1]}" for what, nodes in lacking.items())
    return f"{sum(lacking.values())} nodes: {', '.join(counted)}"


def say_forecast(forecast: Forecast, reason: Reason, clock: Clock) -> list[str]:
    """``It starts when ring ends, 14:40 at the latest.``, or that no end is known; in a line.

    None where the reason is not that somebody holds what is missing, or says it all.
    """
    if reason.code is Code.RELEASING:
        return []
    if forecast.start_by:
        return [f"It starts when {forecast.owner} ends, {clock(forecast.start_by)} at the latest."]
    endless = {who.name for who in reason.holders if not (who.ends_at or who.limited)}
    if endless:
        have = "has" if len(endless) == 1 else "have"
        return [f"No end is known: {join(sorted(endless))} {have} no time limit."]
    return ["No end is known of what it waits for."] if reason.holders else []


def say_sooner(alternatives: tuple[Alternative, ...], *, cluster: bool = False) -> str:
    """``2x0.5 would start now on cards 1 and 2 · 1 would start now on card 2``; empty if none."""
    return " · ".join(
        f"{format_share(other.share)}{' with --pack' if other.pack else ''}"
        f" would start now on {several_cards(other.cards, cluster=cluster)}"
        for other in alternatives
    )


def say_plan(plan: Plan, clock: Clock, *, cluster: bool = False) -> list[str]:
    """What would become of a group, and that nothing was changed."""
    if plan.verdict is Verdict.NOW:
        return [*_starts(plan), _UNCHANGED]
    assert plan.reason is not None, "only what starts now has no reason"
    reason = say_wait(plan.reason, clock, cluster=cluster)
    lines = [f"would {'never start' if plan.verdict is Verdict.NEVER else 'wait'}: {reason}"]
    lines += say_forecast(plan.forecast, plan.reason, clock)
    sooner = say_sooner(plan.sooner, cluster=cluster)
    if sooner:
        lines.append(f"sooner: {sooner}")
    return [*lines, _UNCHANGED]


def _starts(plan: Plan) -> list[str]:
    if len(plan.members) == 1:
        return [f"would start now on {_member(plan.members[0])}"]
    return ["would start now:", *(f"  {one.name}: {_member(one)}" for one in plan.members)]


def _member(member: PlannedMember) -> str:
    return "; ".join(_card(member.node, card) for card in member.cards) or member.node


def _card(node: str, card: PlannedCard) -> str:
    where = one_card(node, card.card, cluster=True)
    given = f"{say_mib(card.memory_mib)} and {card.milli} of {WHOLE} compute"
    return f"{where}: {given}; left there: {say_mib(card.memory_left_mib)}, {card.milli_left}"


_UNCHANGED = "nothing was changed"
_LACKS: Final = {
    Lacking.CLOSED: ("is closed", "are closed"),
    Lacking.SUITED: ("is not for it", "are not for it"),
    Lacking.MODEL: ("has too few cards that would do", "have too few cards that would do"),
    Lacking.CARDS: ("lacks free cards", "lack free cards"),
    Lacking.CARD_MEMORY: ("lacks memory on a card", "lack memory on a card"),
    Lacking.CARD_COMPUTE: ("lacks compute on a card", "lack compute on a card"),
    Lacking.CPU: ("lacks CPU", "lack CPU"),
    Lacking.MEMORY: ("lacks memory", "lack memory"),
    Lacking.NOTHING: ("has room for a part of it", "have room for a part of it"),
}
"""What one node lacks, and what several do."""

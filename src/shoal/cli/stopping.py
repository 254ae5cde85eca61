"""A run that is being ended: since when, and when that is over at the latest."""

from typing import Final

from shoal.api.meta import find_condition
from shoal.api.run import Run
from shoal.cli.say import now_ms, say_clock, span_seconds, spell
from shoal.units.errors import UnitError
from shoal.units.instant import parse_instant

GRACE_SECONDS: Final = 30
"""Between SIGTERM and SIGKILL, where a pod does not say otherwise."""
_PLAIN: Final = "stopping"
"""What the status says where there is no other cause than that somebody asked."""


def is_stopping(run: Run) -> bool:
    """Whether it has been asked to end and has not yet."""
    return not run.status.phase.ended and (run.spec.stop or _asked_at(run) is not None)


def say_stopping(run: Run, *, ago: bool = True, grace: int = GRACE_SECONDS) -> str:
    """``stopping · asked 4 s ago · killed at 14:40:30 at the latest``; why, if nobody asked.

    Without ``ago`` it is a sentence that stays true.
    """
    asked, now = _asked_at(run), now_ms()
    told = [run.status.message if asked is not None else _PLAIN]
    if asked is not None:
        due = parse_instant(asked) + grace * 1000
        told += [f"asked {spell(span_seconds(asked, None, now))} ago"] if ago else []
        told += [f"killed at {say_clock(due, seconds=True)} at the latest"] if now < due else []
    return " · ".join(told)


def _asked_at(run: Run) -> str | None:
    condition = find_condition(run.status.conditions, "Stopping")
    text = condition.last_transition_time if condition and condition.status == "True" else None
    try:
        return text if text and parse_instant(text) else None
    except UnitError:
        return None

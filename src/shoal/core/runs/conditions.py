"""Conditions of a run, and the words in them: set without losing since when they hold."""

from typing import Final

import msgspec

from shoal.api.meta import Condition, find_condition
from shoal.units.instant import format_instant, parse_instant

PLACED: Final = "Placed"
"""Every replica has its place; while not, why, in the scheduler's words."""
STARTED: Final = "Started"
"""Every replica of the attempt has started."""
STOPPING: Final = "Stopping"
"""The attempt is being ended, and why. Absent otherwise."""
FINISHED: Final = "Finished"
"""Nothing more will happen. The reason is the last phase."""


class Words(msgspec.Struct, frozen=True):
    """A sentence and its code, and when to look again in ms since the epoch."""

    message: str = ""
    reason: str = ""
    wake_at: int | None = None


_NONE: Final = Words()


def with_condition(
    conditions: list[Condition], kind: str, holds: bool, now: int, words: Words = _NONE
) -> list[Condition]:
    """The conditions with this one set; its time moves only when it turns."""
    old = find_condition(conditions, kind)
    status = "True" if holds else "False"
    kept = old.last_transition_time if old is not None and old.status == status else None
    new = Condition(
        type=kind,
        status=status,
        reason=words.reason,
        message=words.message,
        last_transition_time=kept or format_instant(now),
    )
    return [*without(conditions, kind), new]


def without(conditions: list[Condition], kind: str) -> list[Condition]:
    """The conditions but for this one."""
    return [condition for condition in conditions if condition.type != kind]


def holds(conditions: list[Condition], kind: str) -> bool:
    """Whether a condition is set and true."""
    condition = find_condition(conditions, kind)
    return condition is not None and condition.status == "True"


def since(conditions: list[Condition], kind: str, now: int) -> int:
    """Since when a condition is as it is, in ms since the epoch; ``now`` if it is not set."""
    condition = find_condition(conditions, kind)
    text = condition.last_transition_time if condition is not None else None
    return parse_instant(text) if text else now

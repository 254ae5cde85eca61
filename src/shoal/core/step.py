"""One step: events in, decisions with reasons out.

Groups are tried in the order of priority, then age. One that cannot be placed does not keep
smaller ones behind it from starting.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from shoal.core.apply import apply
from shoal.core.assume import assume
from shoal.core.decision import AnyDecision, Bind, Wait
from shoal.core.event import AnyEvent
from shoal.core.reason import Reason
from shoal.core.reasons import not_ready, reason_known, reason_of
from shoal.core.state import State, Waiting

_MOST_REASONS: Final = 16
"""Reasons worked out anew in one step; the rest follow in the next ones."""
_QUIET_MS: Final = 2_000
"""A group is told again no sooner, unless it waits for something else by now."""
_QUIET_EACH_MS: Final = 50
"""What every waiting group adds to that, so that all of them make at most 20 tellings a second."""


def step(state: State, events: Iterable[AnyEvent], now: int) -> list[AnyDecision]:
    """Take events in and decide. ``now`` is ms since the epoch and never goes back.

    Deterministic; changes ``state`` alone. Every ``Bind`` is assumed in the state until
    ``Confirmed`` or ``Refused`` comes.
    """
    for event in events:
        apply(state, event)
    binds = list(_bind(state, now))
    return [*binds, *_tell(state, now)]


def wake_at(state: State) -> int | None:
    """When to step again even if nothing happens, in ms; None: when something happens."""
    times = [waiting.retry_at for waiting in state.line.values() if waiting.retry_at]
    quiet = _quiet(state)
    times += [state.line[key].told_at + quiet for key in state.memory.stale]
    return min(times, default=None)


def _bind(state: State, now: int) -> Iterator[Bind]:
    memory = state.memory
    if memory.failed_at != state.freed:
        memory.failed.clear()
    for waiting in sorted(_due(state, now), key=lambda waiting: waiting.turn):
        memory.fresh.pop(waiting.group.key, None)
        memory.stale[waiting.group.key] = None
        waiting.retry_at = 0
        if waiting.shape in memory.failed or not _ready(state, waiting):
            continue
        spots = state.placer.place(waiting.shape)
        if spots is None:
            memory.failed[waiting.shape] = None
        else:
            yield assume(state, waiting, spots)
    memory.failed_at = state.freed


def _due(state: State, now: int) -> list[Waiting]:
    """All groups if something was freed; else those that changed or may be tried again."""
    anew = state.memory.failed_at != state.freed
    keys = state.line if anew else list(state.memory.fresh)
    return [state.line[key] for key in keys if state.line[key].retry_at <= now]


def _ready(state: State, waiting: Waiting) -> bool:
    return not state.placing(waiting.group) and not_ready(state, waiting.group) is None


def _tell(state: State, now: int) -> Iterator[Wait]:
    """Those who were told nothing yet come first; who must wait for it goes to the end."""
    memory = state.memory
    if memory.told_at != state.changes:
        memory.stale.update(dict.fromkeys(state.line))
        memory.told_at = state.changes
    quiet, left = _quiet(state), _MOST_REASONS
    for key in sorted(memory.stale, key=lambda key: state.line[key].told is not None):
        waiting = state.line[key]
        if state.placing(waiting.group):
            del memory.stale[key]
            continue
        left -= not reason_known(state, waiting.shape)
        if left < 0:
            return
        reason = reason_of(state, waiting, now)
        if _worth_telling(waiting, reason, now - quiet):
            waiting.told, waiting.told_at = reason, now
            yield Wait(key, reason)
        del memory.stale[key]
        if waiting.told != reason:
            memory.stale[key] = None


def _worth_telling(waiting: Waiting, reason: Reason, since: int) -> bool:
    if waiting.told is None or waiting.told.code is not reason.code:
        return True
    return waiting.told != reason and waiting.told_at <= since


def _quiet(state: State) -> int:
    return _QUIET_MS + _QUIET_EACH_MS * len(state.line)

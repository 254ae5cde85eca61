"""Tell: what is said to those who wait, the sooner the newer it is to them.

Reasons are worked out by shape, few in one step. Who was told nothing yet comes first, then who
changed; then the shapes, those first that were looked at least recently.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Final

from shoal.core.decision import Wait
from shoal.core.line import Alike, Waiting
from shoal.core.reason import Reason
from shoal.core.reasons import reason_known, reason_of, why_not
from shoal.core.shape import GroupShape
from shoal.core.state import State

_MOST_REASONS: Final = 16
"""Reasons worked out anew in one step; the rest follow in the next ones."""
_MOST_NODES: Final = 5_000
"""Nodes looked at for them, so that many nodes make fewer reasons."""
_MOST_AGAIN: Final = 64
"""Groups told again in one step."""
_NEXT_MS: Final = 100
"""When the rest follows, unless something happens sooner."""
_QUIET_MS: Final = 2_000
"""A group is told again no sooner, unless it waits for something else by now."""
_QUIET_EACH_MS: Final = 50
"""What every waiting group adds to that, so that all of them make at most 20 tellings a second."""


def tell(state: State, now: int) -> Iterator[Wait]:
    """Say to groups why they wait, where that is news to them."""
    nodes = max(len(state.cluster.nodes), 1)
    left = max(min(_MOST_REASONS, _MOST_NODES // nodes), 1)
    for key in _changed(state):
        waiting = state.line[key]
        if state.placing(waiting.group):
            del state.memory.stale[key]
            continue
        left -= not reason_known(state, waiting.shape)
        if left < 0:
            return
        del state.memory.stale[key]
        yield from _say(state, waiting, now)
    yield from _again(state, now)
    yield from _shapes(state, now, left)


def tell_at(state: State) -> int | None:
    """When there may be more to tell even if nothing happens, in ms; None if there is nothing."""
    memory, first = state.memory, next(iter(state.line.alike.values()), None)
    if memory.stale or (first is not None and first.looked_at != state.changes):
        return memory.stepped_at + _NEXT_MS
    return memory.later[0][0] + _quiet(state) if memory.later else None


def _changed(state: State) -> list[str]:
    return sorted(state.memory.stale, key=lambda key: state.line[key].told is not None)


def _again(state: State, now: int) -> Iterator[Wait]:
    """Those for whom enough time passed."""
    later, since = state.memory.later, now - _quiet(state)
    for _ in range(_MOST_AGAIN):
        if not later or later[0][0] > since:
            return
        _, key = heappop(later)
        waiting = state.line.get(key)
        if waiting is not None and waiting.put_off:
            waiting.put_off = False
            if not state.placing(waiting.group):
                yield from _say(state, waiting, now)


def _shapes(state: State, now: int, most: int) -> Iterator[Wait]:
    alike = state.line.alike
    for _ in range(min(most, len(alike))):
        shape = next(iter(alike))
        if alike[shape].looked_at == state.changes:
            return
        looked = alike[shape] = alike.pop(shape)
        looked.looked_at = state.changes
        if shape in state.memory.failed:
            yield from _shape(state, shape, looked, now)


def _shape(state: State, shape: GroupShape, alike: Alike, now: int) -> Iterator[Wait]:
    reason = why_not(state, shape)
    if reason == alike.reason:
        return
    alike.reason = reason
    for waiting in alike.groups.values():
        if waiting.told is not None and not state.placing(waiting.group):
            yield from _say(state, waiting, now)


def _say(state: State, waiting: Waiting, now: int) -> Iterator[Wait]:
    reason = reason_of(state, waiting, now)
    alike = state.line.alike[waiting.shape]
    if alike.reason != reason:
        alike.reason = None  # they no longer all know the same
    if _worth_telling(waiting, reason, now - _quiet(state)):
        waiting.told, waiting.told_at = reason, now
        yield Wait(waiting.group.key, reason)
    elif waiting.told != reason and not waiting.put_off:
        waiting.put_off = True
        heappush(state.memory.later, (waiting.told_at, waiting.group.key))


def _worth_telling(waiting: Waiting, reason: Reason, since: int) -> bool:
    if waiting.told is None or waiting.told.code is not reason.code:
        return True
    return waiting.told != reason and waiting.told_at <= since


def _quiet(state: State) -> int:
    return _QUIET_MS + _QUIET_EACH_MS * len(state.line)

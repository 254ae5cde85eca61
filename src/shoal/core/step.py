"""One step: events in, decisions with reasons out.

Groups are tried in the order of priority, then age. One that cannot be placed does not keep
smaller ones behind it from starting. After something was freed it is first asked, shape by
shape, which could start at all: what fits nowhere then fits nowhere either once others started.
"""

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heapreplace
from typing import Final

from shoal.core.apply import apply
from shoal.core.assume import assume
from shoal.core.decision import AnyDecision, Bind
from shoal.core.event import AnyEvent
from shoal.core.line import Waiting
from shoal.core.reasons import not_ready
from shoal.core.shape import GroupShape
from shoal.core.state import State
from shoal.core.tell import tell, tell_at


def step(state: State, events: Iterable[AnyEvent], now: int) -> list[AnyDecision]:
    """Take events in and decide. ``now`` is ms since the epoch and never goes back.

    Deterministic; changes ``state`` alone. Every ``Bind`` is assumed in the state until
    ``Confirmed`` or ``Refused`` comes.
    """
    for event in events:
        apply(state, event)
    state.memory.stepped_at = now
    decisions: list[AnyDecision] = list(_bind(state, now))
    state.cluster.commit()
    decisions += tell(state, now)
    return decisions


def wake_at(state: State) -> int | None:
    """When to step again even if nothing happens, in ms; None: when something happens."""
    waiting = (state.line[key] for key in state.memory.fresh)
    retries = [each.retry_at for each in waiting if each.retry_at]
    told = tell_at(state)
    return min(retries if told is None else [*retries, told], default=None)


def _bind(state: State, now: int) -> Iterator[Bind]:
    memory = state.memory
    for waiting in _in_turn(state, _could_start(state)):
        if waiting.retry_at > now:
            continue
        key, shape = waiting.group.key, waiting.shape
        changed = key in memory.fresh
        memory.fresh.pop(key, None)
        waiting.retry_at = 0
        if shape not in memory.failed and _ready(state, waiting):
            spots = state.placer.place(shape)
            if spots is not None:
                yield assume(state, waiting, spots)
                continue
            memory.failed[shape] = None
        if changed:
            memory.stale[key] = None
    memory.failed_at = state.freed


def _could_start(state: State) -> list[GroupShape]:
    """If something was freed, the shapes that may have a place; the others are known to fail."""
    memory, found = state.memory, []
    if memory.failed_at != state.freed:
        memory.failed.clear()
        for shape in state.line.alike:
            if state.placer.may_place(shape):
                found.append(shape)
            else:
                memory.failed[shape] = None
    return found


def _in_turn(state: State, shapes: list[GroupShape]) -> Iterator[Waiting]:
    """What changed, and the groups of these shapes as long as they do not fail."""
    line, failed = state.line, state.memory.failed
    heap = [(line[key].turn, _ALONE, line[key].shape) for key in state.memory.fresh]
    heap += [(line.alike[shape].turns[0], 0, shape) for shape in shapes]
    heapify(heap)
    while heap:
        turn, at, shape = heap[0]
        if at != _ALONE and shape in failed:
            heappop(heap)
            continue
        turns = line.alike[shape].turns
        if at != _ALONE and at + 1 < len(turns):
            heapreplace(heap, (turns[at + 1], at + 1, shape))
        else:
            heappop(heap)
        yield line[turn[-1]]


def _ready(state: State, waiting: Waiting) -> bool:
    return not state.placing(waiting.group) and not_ready(state, waiting.group) is None


_ALONE: Final = -1
"""In a heap of turns: a group by itself."""

"""One step: events in, decisions with reasons out.

Groups are tried in the order of priority, then age. One that cannot be placed does not keep
smaller ones behind it from starting. After something was freed it is first asked, shape by
shape, which could start at all: what fits nowhere then fits nowhere either once others started.
"""

from collections.abc import Iterable, Iterator

from shoal.core.apply import apply
from shoal.core.assume import assume
from shoal.core.decision import AnyDecision, Bind
from shoal.core.event import AnyEvent
from shoal.core.line import Waiting
from shoal.core.reasons import not_ready
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
    for waiting in sorted(_due(state, now), key=lambda waiting: waiting.turn):
        key, shape = waiting.group.key, waiting.shape
        memory.fresh.pop(key, None)
        waiting.retry_at = 0
        if shape in memory.failed or not _ready(state, waiting):
            memory.stale[key] = None
            continue
        spots = state.placer.place(shape)
        if spots is None:
            memory.failed[shape] = None
            memory.stale[key] = None
        else:
            yield assume(state, waiting, spots)
    memory.failed_at = state.freed


def _due(state: State, now: int) -> list[Waiting]:
    """What changed or may be tried again; if something was freed, all that could start now."""
    memory, line = state.memory, state.line
    due = dict.fromkeys(memory.fresh)
    if memory.failed_at != state.freed:
        memory.failed.clear()
        for shape, alike in line.alike.items():
            if state.placer.may_place(shape):
                due.update(dict.fromkeys(alike.groups))
            else:
                memory.failed[shape] = None
    return [waiting for waiting in map(line.__getitem__, due) if waiting.retry_at <= now]


def _ready(state: State, waiting: Waiting) -> bool:
    return not state.placing(waiting.group) and not_ready(state, waiting.group) is None

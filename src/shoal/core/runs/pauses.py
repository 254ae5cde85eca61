"""How long a run rests before it is tried again: longer each time, so that failures cost little."""

from typing import Final

from shoal.api.run import Run
from shoal.core.runs.conditions import PLACED, since
from shoal.core.runs.replicas import Replica, State

_LONGEST_S: Final = 16


def pause_seconds(restarts: int) -> int:
    """1, 2, 4, … before the first, second, third retry."""
    return int(min(2 ** (restarts - 1), _LONGEST_S))


def pause_left(run: Run, replicas: tuple[Replica, ...], now: int) -> int:
    """Milliseconds until the next attempt is due; 0 once anything was made for it.

    A clock that was set back since then ends the pause rather than to draw it out.
    """
    made = any(replica.state is not State.ABSENT for replica in replicas)
    if made or not run.status.restarts:
        return 0
    rested = now - since(run.status.conditions, PLACED, now)
    left = pause_seconds(run.status.restarts) * 1000 - rested
    return max(left, 0) if rested >= 0 else 0

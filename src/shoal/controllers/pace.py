"""Bounds on how often something is done, with a little saved up for bursts."""

import asyncio
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from shoal.kube.workqueue import WorkQueue

K = TypeVar("K")


class Pace:
    """``rate`` a second in the long run, at most ``burst`` at once."""

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._saved = float(burst)
        self._at = clock()

    def take(self) -> float:
        """Take the next turn; the seconds to wait for it, 0 for at once."""
        now = self._clock()
        self._saved = min(self._saved + (now - self._at) * self._rate, self._burst) - 1
        self._at = now
        return max(-self._saved / self._rate, 0.0)


class Turns(Generic[K]):
    """Gives keys their turn one after the other at a pace, so that none asks in vain twice.

    ``call`` is told the key whose turn it is; the next ``take`` of that key is granted.
    """

    def __init__(self, pace: Pace, call: Callable[[K], None]) -> None:
        self._pace = pace
        self._call = call
        self._line: WorkQueue[K] = WorkQueue()
        self._given: set[K] = set()

    def take(self, key: K) -> bool:
        """Whether it is this key's turn; if not, it will be called."""
        if key in self._given:
            self._given.discard(key)
            return True
        self._line.add(key)
        return False

    def forget(self, key: K) -> None:
        """Take back a turn that is no longer needed."""
        self._given.discard(key)

    async def run(self) -> None:
        """Give turns until cancelled."""
        while True:
            key = await self._line.get()
            await asyncio.sleep(self._pace.take())
            self._given.add(key)
            self._line.done(key)
            self._call(key)

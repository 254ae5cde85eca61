"""A queue of keys to look at: each key once, one worker a key, back-off after failures."""

import asyncio
from collections import deque
from typing import Generic, TypeVar

K = TypeVar("K")

_FIRST_WAIT = 0.05
_LONGEST_WAIT = 30.0


class WorkQueue(Generic[K]):
    """Keys in the order in which they were added.

    A key added while a worker has it comes back when that worker is done with it.
    """

    def __init__(self) -> None:
        self._ready: deque[K] = deque()
        self._waiting: set[K] = set()
        self._working: set[K] = set()
        self._again: set[K] = set()
        self._failures: dict[K, int] = {}
        self._timers: dict[K, asyncio.TimerHandle] = {}
        self._wake = asyncio.Event()

    def add(self, key: K) -> None:
        """Have a key looked at as soon as may be."""
        if key in self._working:
            self._again.add(key)
        elif key not in self._waiting:
            self._waiting.add(key)
            self._ready.append(key)
            self._wake.set()

    def add_after(self, key: K, seconds: float) -> None:
        """Have a key looked at later; of two such wishes the sooner one stands."""
        loop = asyncio.get_running_loop()
        due = loop.time() + max(seconds, 0)
        timer = self._timers.get(key)
        if timer is not None:
            if timer.when() <= due:
                return
            timer.cancel()
        self._timers[key] = loop.call_at(due, self._ring, key)

    async def get(self) -> K:
        """The next key; ``done`` must follow."""
        while not self._ready:
            self._wake.clear()
            await self._wake.wait()
        key = self._ready.popleft()
        self._waiting.discard(key)
        self._working.add(key)
        return key

    def done(self, key: K, *, failed: bool = False) -> None:
        """A worker has finished with a key; one that failed comes back after a wait."""
        self._working.discard(key)
        again = key in self._again
        self._again.discard(key)
        if failed:
            times = self._failures.get(key, 0)
            self._failures[key] = times + 1
            self.add_after(key, min(_FIRST_WAIT * 2 ** min(times, 16), _LONGEST_WAIT))
            return
        self._failures.pop(key, None)
        if again:
            self.add(key)

    def _ring(self, key: K) -> None:
        self._timers.pop(key, None)
        self.add(key)

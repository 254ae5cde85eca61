"""Turns, given one after the other at a pace."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from shoal.kube.pace import Pace
from shoal.kube.workqueue import WorkQueue

K = TypeVar("K")


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

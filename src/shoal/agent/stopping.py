"""Asking a pod to stop: once, for one reason, with a grace that can only get shorter."""

import asyncio
import contextlib
from collections.abc import Coroutine
from enum import StrEnum
from typing import Any, TypeVar

T = TypeVar("T")


class StopReason(StrEnum):
    """Why a pod is stopped."""

    NONE = ""
    DELETED = "deleted"
    DEADLINE = "deadline"
    BROKEN = "broken"
    """One of its containers cannot run, or nobody saw how it ended; the rest goes with it."""
    OVER = "over"
    """A sidecar, once the main containers have ended."""
    GONE = "gone"
    """The Pod object is no more, or somebody else said that the pod has ended."""


class StopAskedError(Exception):
    """The wait was cut short because the pod is to stop."""


class Stopping:
    """Whether, why and by when a pod is to stop."""

    def __init__(self) -> None:
        self.why = StopReason.NONE
        self._asked = asyncio.Event()
        self._sooner = asyncio.Event()
        self._kill_at = float("inf")

    @property
    def asked(self) -> bool:
        """Whether the pod is to stop."""
        return self._asked.is_set()

    @property
    def left_s(self) -> float:
        """Seconds of grace that are left, once it is to stop."""
        return max(self._kill_at - asyncio.get_running_loop().time(), 0)

    def ask(self, why: StopReason, grace_s: float) -> None:
        """Asks to stop. The first reason stays; a shorter grace counts from now."""
        if not self.asked:
            self.why = why
            self._asked.set()
        kill_at = asyncio.get_running_loop().time() + grace_s
        if kill_at < self._kill_at:
            self._kill_at = kill_at
            self._sooner.set()

    async def wait(self) -> None:
        """Returns once the pod is to stop."""
        await self._asked.wait()

    async def sooner(self, seconds: float) -> None:
        """Returns after so many seconds, or once the grace has become shorter."""
        self._sooner.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._sooner.wait(), seconds)

    async def sleep(self, seconds: float) -> None:
        """Sleeps. Raises StopAskedError as soon as the pod is to stop."""
        await self.unless(asyncio.sleep(seconds))

    async def unless(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of some work, which is cancelled once the pod is to stop.

        Raises StopAskedError then.
        """
        task = asyncio.ensure_future(work)
        asked = asyncio.ensure_future(self._asked.wait())
        try:
            await asyncio.wait({task, asked}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise StopAskedError
        finally:
            for one in (task, asked):
                one.cancel()
            await asyncio.gather(task, asked, return_exceptions=True)

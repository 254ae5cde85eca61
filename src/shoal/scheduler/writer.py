"""Requests of the scheduler: few at a time, and repeated while the server's trouble may pass."""

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeVar

from shoal.kube.errors import ApiError

T = TypeVar("T")

_AT_ONCE: Final = 32
"""Requests in flight: more would only wait in the server."""
_WAITS: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between the tries of one request; whoever insists goes on at the last."""

_log = logging.getLogger(__name__)


class Writer:
    """Sends requests for all commits together."""

    def __init__(self, waits: tuple[float, ...] = _WAITS) -> None:
        self._waits = waits
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def attempt(self, request: Callable[[], Awaitable[T]]) -> T:
        """Send a request, again a few times if need be. Raises the last ApiError."""
        return await self._send(request, self._waits)

    async def insist(self, request: Callable[[], Awaitable[T]]) -> T:
        """Send a request until the server has answered it for good.

        For what must not stay half done. Raises an ApiError that repeating does not change.
        """
        return await self._send(
            request, itertools.chain(self._waits, itertools.repeat(self._waits[-1]))
        )

    async def _send(self, request: Callable[[], Awaitable[T]], waits: Iterable[float]) -> T:
        for wait in waits:
            try:
                async with self._slots:
                    return await request()
            except ApiError as error:
                if not error.passing:
                    raise
                _log.warning("request repeated", extra={"error": error.message, "after": wait})
            await asyncio.sleep(wait)
        async with self._slots:
            return await request()

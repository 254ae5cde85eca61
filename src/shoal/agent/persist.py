"""Writing to the API server until it is done: an agent outlives its server's restarts."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from shoal.kube.errors import ApiError

T = TypeVar("T")

_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0
_log = logging.getLogger(__name__)


async def persist(what: str, call: Callable[[], Awaitable[T]]) -> T:
    """The answer to a request, asked again while the server is away or overloaded.

    Raises ApiError where the server refuses for good.
    """
    pause = _FIRST_PAUSE_S
    while True:
        try:
            return await call()
        except ApiError as error:
            if not error.passing:
                raise
            _log.warning(
                "will try again", extra={"what": what, "error": error.message, "pause_s": pause}
            )
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)

"""Taking keys from a queue, and doing independent calls side by side."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeVar

from shoal.kube.errors import ApiError
from shoal.kube.workqueue import WorkQueue

K = TypeVar("K")
R = TypeVar("R")

_SIDE_BY_SIDE: Final = 8
"""Calls of one key in flight at once."""
_log = logging.getLogger(__name__)


async def work(
    queue: WorkQueue[K], handle: Callable[[K], Awaitable[None]], *, workers: int
) -> None:
    """Handle keys with ``workers`` tasks until cancelled; a key that fails comes back later."""
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(_worker(queue, handle))


async def together(calls: Iterable[Callable[[], Awaitable[R]]]) -> list[R]:
    """The results of independent calls, a bounded number at a time. Raises the first ApiError."""
    gate = asyncio.Semaphore(_SIDE_BY_SIDE)

    async def one(call: Callable[[], Awaitable[R]]) -> R:
        async with gate:
            return await call()

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(call)) for call in calls]
    except* ApiError as errors:
        raise _first(errors) from None
    return [task.result() for task in tasks]


async def _worker(queue: WorkQueue[K], handle: Callable[[K], Awaitable[None]]) -> None:
    while True:
        key = await queue.get()
        failed = True
        try:
            await handle(key)
            failed = False
        except ApiError as error:
            # Somebody else was faster: the change is on its way here, so look again.
            if not (error.conflict or error.not_found):
                _log.warning("refused", extra={"key": key, "error": error.message})
        except Exception:
            # One object that nobody thought of must not stop all others.
            _log.exception("a controller stumbled", extra={"key": key})
        finally:
            queue.done(key, failed=failed)


def _first(errors: ExceptionGroup[ApiError]) -> ApiError:
    first = errors.exceptions[0]
    assert isinstance(first, ApiError), "calls side by side make no groups of their own"
    return first

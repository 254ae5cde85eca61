"""Work in a thread that is over when its caller is.

A thread cannot be cancelled, only left alone. It would go on behind the back of whoever comes
next: fill a folder that is being removed, or take a lock that nobody lets go of.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T], undo: Callable[[T], None] | None = None) -> T:
    """What some work gives, done in a thread.

    Who is cancelled meanwhile waits for its end all the same; ``undo`` then takes what it gave.
    """
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({running})
        if running.exception() is None and undo is not None:
            undo(running.result())
        raise

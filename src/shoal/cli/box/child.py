"""What every process of the box does alike: wait for its turn, tell that it is ready, stop.

A supervisor hands a child a pipe: one byte on it means that the API server is ready, its end
means that the supervisor is gone. Started by hand there is no pipe, and the child goes at once.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine

from shoal.cli.box.errors import BoxError
from shoal.cli.box.logs import log_to_stderr


def run_child(
    work: Callable[[Callable[[str], None]], Coroutine[None, None, None]],
    go_fd: int | None,
    fatal: tuple[type[Exception], ...] = (),
    run: Callable[[Coroutine[None, None, None]], None] = asyncio.run,
) -> None:
    """Run ``work`` until it ends, a signal asks for the end, or the supervisor is gone.

    ``work`` is given a function to call once others may count on it. An error of the ``fatal``
    kinds becomes a BoxError: its supervisor does not start it again. ``run`` brings an event loop.
    """
    log_to_stderr()
    try:
        run(_until_told(work(_say_ready), go_fd))
    except Exception as error:
        why = _first_of(fatal, error)
        if why is None:
            raise
        raise BoxError(str(why)) from error


def _first_of(kinds: tuple[type[Exception], ...], error: Exception) -> Exception | None:
    """The error itself, or the first in its group, that is of these kinds."""
    if isinstance(error, ExceptionGroup):
        return next(filter(None, (_first_of(kinds, each) for each in error.exceptions)), None)
    return error if isinstance(error, kinds) else None


def _say_ready(word: str = "") -> None:
    with contextlib.suppress(BrokenPipeError):  # the go pipe tells that nobody listens any more
        os.write(1, f"ready {word}".strip().encode() + b"\n")


async def _until_told(work: Awaitable[None], go_fd: int | None) -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    if go_fd is not None:
        await _wait_for_go(go_fd, told)
    task = asyncio.ensure_future(work)
    end = asyncio.ensure_future(told.wait())
    await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
    end.cancel()
    if not task.cancelled():
        task.result()


async def _wait_for_go(go_fd: int, told: asyncio.Event) -> None:
    """Return on the first byte, and from then on watch for the end of the pipe."""
    loop = asyncio.get_running_loop()
    gone_on = asyncio.Event()

    def readable() -> None:
        if os.read(go_fd, 1):
            gone_on.set()
        else:
            loop.remove_reader(go_fd)
            told.set()
            gone_on.set()

    loop.add_reader(go_fd, readable)
    await gone_on.wait()

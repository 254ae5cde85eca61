"""One process of its kind a home: the lock that it holds while it lives, whoever started it.

A supervisor's lock is not enough: when it is killed while its child stands still, another one
may start, and the child of the first would go on beside its successor. It must not: woken up,
it finds that its supervisor is gone, and ends.
"""

import asyncio
import contextlib
import fcntl
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

_PAUSE_S: Final = 0.05
_LOOKS: Final = 300


class NotAloneError(Exception):
    """Another process of the kind lives; the message names it and how to end it."""


@contextlib.asynccontextmanager
async def only_one(home: Path, what: str) -> AsyncIterator[None]:
    """Holds the home's lock of a kind of process, such as ``agent``.

    Raises NotAloneError if another one does not end in time.
    """
    path = home / "sock" / f"{what}.lock"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        await _take(fd, home, what)
        with contextlib.suppress(OSError):  # a full disk hides the name, not the lock
            os.ftruncate(fd, 0)
            os.pwrite(fd, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(fd)


def is_held(home: Path, what: str) -> bool:
    """Whether a process of that kind lives in a home; one that we may not ask about does."""
    try:
        fd = os.open(home / "sock" / f"{what}.lock", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


async def _take(fd: int, home: Path, what: str) -> None:
    for look in range(_LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        if look == 0:
            _wake(_holder(fd))
        await asyncio.sleep(_PAUSE_S)
    raise NotAloneError(
        f"another process of {home} is its {what} (process {_holder(fd)}); "
        f"end it and try again: kill -9 {_holder(fd)}"
    )


def _holder(fd: int) -> int:
    """Who wrote its number after it took the lock; 0 in the moment before."""
    text = os.pread(fd, 20, 0).decode(errors="replace")
    return int(text) if text.isdecimal() else 0


def _wake(pid: int) -> None:
    if pid > 1:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGCONT)

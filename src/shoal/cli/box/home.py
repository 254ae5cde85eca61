"""The home of a box: a private folder, the lock of its one supervisor, and what that tells.

``lock`` carries a record lock (fcntl(2)) for as long as a supervisor lives, so a box that was
killed leaves nothing to clean up, and the kernel knows who holds it. ``box.json`` is what the
supervisor last said of itself.
"""

import fcntl
import os
import struct
import time
from pathlib import Path

import msgspec

from shoal.cli.box.errors import BoxError

_SMALLEST_ROOM = 64 * 1024 * 1024
_FLOCK = "hhqqi"


class ProcessState(msgspec.Struct):
    """One process of the box. ``restarts`` counts since the box was started."""

    name: str
    pid: int = 0
    restarts: int = 0


class BoxState(msgspec.Struct):
    """What the supervisor last wrote. ``started`` is in seconds since the epoch."""

    pid: int
    started: int
    port: int
    gpus: str
    version: str
    processes: list[ProcessState]


def make_home(home: Path) -> None:
    """Create the home, private. Raises BoxError where that cannot be."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if home.stat().st_uid != os.geteuid():
            raise BoxError(
                f"{home} belongs to another user; set SHOAL_HOME to a folder of your own"
            )
        home.chmod(0o700)
        for name in ("log", "sock"):
            (home / name).mkdir(mode=0o700, exist_ok=True)
        probe = home / ".probe"
        probe.write_bytes(b"")
        probe.unlink(missing_ok=True)  # of two that start at once one may remove it for both
        room = os.statvfs(home)
    except OSError as error:
        raise BoxError(
            f"{home} cannot be written ({error.strerror}); set SHOAL_HOME to a folder that can"
        ) from None
    if room.f_bavail * room.f_frsize < _SMALLEST_ROOM:
        raise BoxError(f"the disk of {home} is full; free 64 MiB or set SHOAL_HOME elsewhere")


def take_lock(home: Path) -> None:
    """Become the one supervisor of a home, until this process ends.

    Raises BoxError where there is one already.
    """
    # Never closed: closing any descriptor of the file would give a record lock back.
    descriptor = os.open(home / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BoxError(
            f"a box runs on {home} already (pid {_holder(descriptor)}). "
            "Look at it: shoal status · end it: shoal down"
        ) from None


def running(home: Path) -> BoxState | None:
    """What the supervisor of this home says, if one lives."""
    try:
        descriptor = os.open(home / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        pid = _holder(descriptor)
    finally:
        os.close(descriptor)
    state = read_state(home)
    return state if state and pid == state.pid else None


def _holder(descriptor: int) -> int:
    """The process that holds the lock, 0 for none (F_GETLK, fcntl(2))."""
    asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    kind, _, _, _, pid = struct.unpack(_FLOCK, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    return 0 if kind == fcntl.F_UNLCK else int(pid)


def read_state(home: Path) -> BoxState | None:
    """The last word of a supervisor, living or not."""
    try:
        return msgspec.json.decode((home / "box.json").read_bytes(), type=BoxState)
    except (OSError, msgspec.DecodeError):
        return None


def write_state(home: Path, state: BoxState) -> None:
    """Say what is true now; a reader sees the old word or the new one, never half of it.

    A full disk keeps the old word: to tell is not worth the box.
    """
    fresh = home / "box.json.new"
    try:
        fresh.write_bytes(msgspec.json.format(msgspec.json.encode(state), indent=2))
        fresh.replace(home / "box.json")
    except OSError:
        fresh.unlink(missing_ok=True)


def now_seconds() -> int:
    """Seconds since the epoch."""
    return int(time.time())

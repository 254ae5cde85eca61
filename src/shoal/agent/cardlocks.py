"""Machine-wide locks: a card belongs to one home at a time.

One file a card, in a folder that every user can write, locked with flock(2) and naming the
home that holds it. A home takes the lock for itself alone, writes its name and goes on with a
shared lock, which its keepers inherit: an agent that comes back joins them by the name, while
another home, which needs the lock alone, is refused for as long as one program lives.
"""

import contextlib
import fcntl
import os
import shlex
import stat
import struct
from pathlib import Path
from typing import Final

from shoal.agent.errors import AgentError
from shoal.core.event import Card

_FOLDERS: Final = (Path("/var/lock"), Path("/run/lock"), Path("/tmp"))  # noqa: S108  shared on purpose
_TRIES: Final = 20
_FLOCK: Final = "hhqqi4x"
"""``struct flock`` of Linux on machines of 64 bits, fcntl(2)."""


class CardLocks:
    """The locks that one agent holds."""

    def __init__(self, home: Path, folder: Path | None = None) -> None:
        self._home = str(home.resolve())
        self._folder = folder or _shared_folder()
        self._held: dict[str, int] = {}

    def take(self, cards: list[Card]) -> None:
        """Locks every card or none. Raises AgentError naming the home that has one."""
        try:
            for card in cards:
                self._held[card.uuid] = self._lock(card)
        except BaseException:
            self.close()
            raise

    def descriptor(self, uuid: str) -> int:
        """The open lock of a card, for a keeper to inherit."""
        return self._held[uuid]

    def close(self) -> None:
        """Lets go; a card with a program on it stays locked by that program's keeper."""
        for uuid, fd in self._held.items():
            os.close(fd)
            _remove_if_free(self._path(uuid))
        self._held.clear()

    def _lock(self, card: Card) -> int:
        path = self._path(card.uuid)
        for _ in range(_TRIES):
            fd = _open(path)
            if self._claim(fd) and _still_there(fd, path):
                return fd
            owner = os.pread(fd, 4096, 0).decode(errors="replace").strip()
            os.close(fd)
            if owner and owner != self._home:
                raise AgentError(_refusal(card, owner))
        raise AgentError(f"{path} changes hands all the time; look at what uses it and try again")

    def _claim(self, fd: int) -> bool:
        """Whether the lock is now this home's, alone or with its own keepers."""
        if _try(fd, fcntl.LOCK_EX):
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{self._home}\n".encode(), 0)
        # Going from alone to shared is two steps for the kernel, so look whose it is after.
        return _try(fd, fcntl.LOCK_SH) and os.pread(fd, 4096, 0).decode().strip() == self._home

    def _path(self, uuid: str) -> Path:
        return self._folder / f"shoal-{uuid}.lock"


def _refusal(card: Card, owner: str) -> str:
    told, box = f"card {card.name} ({card.model}, {card.uuid})", f"SHOAL_HOME={shlex.quote(owner)}"
    if _box_runs(Path(owner)):
        return f"{told} belongs to the box at {owner}; end that one first: {box} shoal down"
    return (
        f"{told} is held by programs of the box at {owner}, which is not up itself; "
        f"start it and stop them ({box} shoal up -d && {box} shoal down --kill), "
        "or wait for their end"
    )


def _box_runs(home: Path) -> bool:
    """Whether a supervisor lives there; one that we may not ask about is taken to live.

    It holds a record lock on the home's file ``lock`` for as long as it lives (F_GETLK, fcntl(2)).
    """
    try:
        fd = os.open(home / "lock", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        answer = fcntl.fcntl(fd, fcntl.F_GETLK, asked)
    finally:
        os.close(fd)
    return bool(struct.unpack(_FLOCK, answer)[0] != fcntl.F_UNLCK)


def _shared_folder() -> Path:
    """The first folder that everybody can write; every home must come to the same one."""
    for folder in _FOLDERS:
        with contextlib.suppress(OSError):
            if folder.stat().st_mode & stat.S_IWOTH:
                return folder
    raise AgentError(
        f"{_FOLDERS[-1]} is closed to other users; repair it: chmod 1777 {_FOLDERS[-1]}"
    )


def _open(path: Path) -> int:
    # Not one open with O_CREAT: in a sticky folder the kernel refuses that for a file of
    # another user (fs.protected_regular).
    while True:
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        with contextlib.suppress(FileExistsError):
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_CREAT | os.O_EXCL, 0o666)
            os.fchmod(fd, 0o666)
            return fd


def _remove_if_free(path: Path) -> None:
    """Asked of the file opened anew: a keeper's lock is the same as ours for the kernel."""
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            if _try(fd, fcntl.LOCK_EX):
                path.unlink()
        finally:
            os.close(fd)


def _try(fd: int, how: int) -> bool:
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _still_there(fd: int, path: Path) -> bool:
    """Whether the locked file is the one that others will find; an owner removes its own."""
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False

"""Reading a start's log files while its keeper writes and rotates them (native/keeper/log.h)."""

import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

TAG_AT: Final = 38
"""Where F or P stands in a record; before it ``<30 characters of time> stdout`` or stderr."""
TEXT_AT: Final = 40
_CHUNK: Final = 256 * 1024
_TRIES: Final = 10


class Place(NamedTuple):
    """A point in the files: an offset in the one with that inode."""

    inode: int
    offset: int


class LogFiles:
    """Whole records, oldest first, following rotations; ``read`` goes on where it stopped."""

    def __init__(self, newest: Path, start: Place | None = None) -> None:
        self._newest = newest
        self._fd = -1
        self._offset = 0
        self._rest = b""
        self._next(start)

    def read(self) -> bytes:
        """Some more whole records; empty when there is nothing new yet."""
        while True:
            if data := self._take():
                return data
            rotated = self._rotated()
            if data := self._take():  # written between the two looks
                return data
            if not rotated:
                return b""
            self._next(None)

    def close(self) -> None:
        """Closes what is open."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _take(self) -> bytes:
        if self._fd < 0:
            return b""
        data = os.pread(self._fd, _CHUNK, self._offset)
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        return whole

    def _rotated(self) -> bool:
        """Whether there is a newer file than the one that is open."""
        if self._fd < 0:
            return self._newest.exists()
        try:
            return not os.path.samestat(os.fstat(self._fd), self._newest.stat())
        except FileNotFoundError:
            return False  # between two renames

    def _next(self, start: Place | None) -> None:
        """Opens the file after the one that is open; the first, or the one of ``start``."""
        mine = start.inode if start else os.fstat(self._fd).st_ino if self._fd >= 0 else 0
        for _ in range(_TRIES):
            files = log_files(self._newest)
            inodes = [inode for inode, _ in files]
            index = inodes.index(mine) + (0 if start else 1) if mine in inodes else 0
            if index == len(files):
                return
            try:
                fd = os.open(files[index][1], os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                continue  # renamed since it was listed
            self.close()
            self._fd = fd
            self._offset = start.offset if start and mine in inodes else 0
            return


def log_files(newest: Path) -> list[tuple[int, Path]]:
    """(inode, path) of a log's files, oldest first."""
    found = []
    for path in newest.parent.glob(f"{newest.name}*"):
        age = path.name.removeprefix(newest.name).lstrip(".")
        if not age or (age.isascii() and age.isdigit()):
            try:
                found.append((int(age or 0), path.stat().st_ino, path))
            except FileNotFoundError:
                continue
    return [(inode, path) for _, inode, path in sorted(found, reverse=True)]


def tail_start(newest: Path, lines: int) -> Place | None:
    """Where the last ``lines`` lines begin; None is the very beginning.

    A part without its end counts as a line when nothing follows it.
    """
    seen = 0
    for inode, path in reversed(log_files(newest)):
        for end, whole in _backwards(path):
            if whole or not seen:
                seen += 1
            if seen > lines:
                return Place(inode, end)
    return None


def _backwards(path: Path) -> Iterator[tuple[int, bool]]:
    """(offset of its end, whether it ends a line) of each record, newest first."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            end = data.rfind(b"\n") + 1
            while end > 0:
                start = data.rfind(b"\n", 0, end - 1) + 1
                yield end, data[start + TAG_AT : start + TAG_AT + 1] == b"F"
                end = start

"""What the files of a folder hashed to last time, so that unchanged ones are not read again.

A file counts as unchanged while its size, inode and both times are what they were, and only
if it was old when it was hashed: a file written twice within one tick of the clock looks
unchanged (git calls such entries racily clean).
"""

import hashlib
import os
import time
from pathlib import Path
from typing import Final

import msgspec

_TICK_NS: Final = 2_000_000_000

_Mark = tuple[int, int, int, int]


class _Line(msgspec.Struct, array_like=True):
    mark: _Mark
    hash: str


class Known:
    """The memory of one folder. A memory that is lost or damaged costs time, nothing else."""

    def __init__(self, home: Path, folder: Path) -> None:
        name = hashlib.sha256(os.fsencode(folder)).hexdigest()
        self._path = home / "store" / "known" / name
        self._before = self._load()
        self._now: dict[str, _Line] = {}
        self._began_ns = time.time_ns()

    def hash_of(self, path: str, told: os.stat_result) -> str:
        """What the file hashed to, if it is surely the same; else an empty text."""
        line = self._before.get(path)
        if line is None or line.mark != _mark(told):
            return ""
        self._now[path] = line
        return line.hash

    def learn(self, path: str, told: os.stat_result, name: str) -> None:
        """Remember what a file hashed to; ``told`` is from before it was read."""
        if max(told.st_mtime_ns, told.st_ctime_ns) < self._began_ns - _TICK_NS:
            self._now[path] = _Line(_mark(told), name)

    def save(self) -> None:
        """Keep what was learned for the next time."""
        if self._now == self._before:
            return
        pending = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        pending.write_bytes(msgspec.json.encode(self._now))
        pending.replace(self._path)

    def _load(self) -> dict[str, _Line]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Line])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}


def _mark(told: os.stat_result) -> _Mark:
    return told.st_size, told.st_ino, told.st_mtime_ns, told.st_ctime_ns

"""A log file that stays bounded: at its size it becomes ``NAME.1``, and one older is dropped."""

from pathlib import Path
from typing import BinaryIO, Final, Self

_MOST_BYTES: Final = 8 * 1024 * 1024


class BoundedLog:
    """Appends lines. A full disk loses lines, never the box. Use as a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, line: bytes) -> None:
        """Append one line."""
        try:
            self._open().write(line)
        except OSError:
            self._file = None

    def _open(self) -> BinaryIO:
        if self._file is not None and self._file.tell() > _MOST_BYTES:
            self._file.close()
            self._path.replace(self._path.with_suffix(".log.1"))
            self._file = None
        if self._file is None:
            self._file = self._path.open("ab", buffering=0)
        return self._file

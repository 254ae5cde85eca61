"""The store of contents: each once, under the hash of it, whole or not at all."""

import hashlib
import os
from pathlib import Path
from typing import IO, Final

from shoal.api.snapshot import digest, object_path

_CHUNK: Final = 1024 * 1024
_SMALL: Final = 1024 * 1024


class Store:
    """The contents that a home keeps. Raises OSError where it cannot be written."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def has(self, name: str) -> bool:
        """Whether the content of this hash is kept."""
        return object_path(self._home, name).exists()

    def put(self, content: bytes) -> str:
        """Keep a content; its hash."""
        name = digest(content)
        if not self.has(name):
            with _Fresh(object_path(self._home, name)) as file:
                file.write(content)
        return name

    def put_file(self, path: Path) -> str:
        """Keep a file's content as it is read now; its hash."""
        with path.open("rb") as source:
            head = source.read(_SMALL)
            if len(head) < _SMALL:
                return self.put(head)
            return self._put_large(head, source)

    def _put_large(self, head: bytes, source: IO[bytes]) -> str:
        """Copy while hashing, so that what is kept is what was hashed even if the file changes."""
        hasher = hashlib.sha256()
        pending = self._home / "store" / f".large-{os.getpid()}"
        with _Fresh(pending) as file:
            while head:
                hasher.update(head)
                file.write(head)
                head = source.read(_CHUNK)
        final = object_path(self._home, hasher.hexdigest())
        final.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        pending.replace(final)
        return hasher.hexdigest()


class _Fresh:
    """A file that appears under its name only when it is complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pending = path.with_name(f".{path.name}.{os.getpid()}")

    def __enter__(self) -> IO[bytes]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = self._pending.open("wb")
        return self._file

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._file.close()
        if kind is None:
            self._pending.replace(self._path)
        else:
            self._pending.unlink(missing_ok=True)

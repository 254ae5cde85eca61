"""Files and folders of a home: for its user alone, written whole, removed whole."""

import logging
import os
import shutil
from pathlib import Path
from typing import Final

from shoal.agent.record import sync_folder

_OURS: Final = 0o700
_log = logging.getLogger(__name__)


def make_private(folder: Path) -> Path:
    """The folder, made with those above it that are missing. Raises OSError."""
    if not folder.exists():
        make_private(folder.parent)
        folder.mkdir(mode=_OURS, exist_ok=True)
    return folder


def write_private(path: Path, content: bytes) -> None:
    """Replaces a file as a whole, also across a power cut. Raises OSError; then nothing changed."""
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    sync_folder(path.parent)


def remove_tree(root: Path) -> None:
    """Removes a folder with all that is in it, and tells the log what would not go.

    Programs leave folders that may not be written (a cache of Go modules has many): they are
    opened up for a second try. To be called in a thread; it may take minutes.
    """
    if _remove(root) is None:
        return
    _open_up(root)
    if (why := _remove(root)) is not None:
        _log.warning("not all could be removed", extra={"folder": str(root), "error": why})


def _remove(root: Path) -> str | None:
    """The first thing that stays, and why; None once nothing is left."""
    stays: list[str] = []

    def note(_call: object, path: str, info: tuple[object, BaseException, object]) -> None:
        if not stays and not isinstance(info[1], FileNotFoundError):
            stays.append(f"{path}: {getattr(info[1], 'strerror', '')}")

    try:
        if root.is_symlink():
            root.unlink()
        else:
            shutil.rmtree(root, onerror=note)
    except (OSError, RecursionError) as error:
        return str(error)
    return stays[0] if stays else None


def _open_up(root: Path) -> None:
    """Makes every folder writable; from above, since a closed one cannot be looked into."""
    _open(root)
    for folder, names, _ in os.walk(root):
        for name in names:
            _open(Path(folder, name))


def _open(folder: Path) -> None:
    try:
        if not folder.is_symlink():  # what a link leads to is somebody else's
            folder.chmod(_OURS)
    except OSError as error:
        _log.debug("not opened up", extra={"folder": str(folder), "error": str(error)})

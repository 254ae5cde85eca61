"""A run's code: a private copy of its snapshot, checked by content, or a folder in place."""

import os
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from shoal.agent.errors import PodError
from shoal.api.snapshot import PREFIX, Entry, decode_manifest, digest, object_path

REASON: Final = "CodeUnavailable"


def place_code(code: str, home: Path, work: Path) -> Path:
    """Where the code is to be run: ``work`` filled from a snapshot, or the folder itself.

    ``code`` is empty, ``sha256:<hex>`` or an absolute path. Raises PodError.
    """
    if not code:
        return work
    if code.startswith(PREFIX):
        _unpack(_manifest(home, code), home, work)
        return work
    folder = Path(code)
    if not folder.is_dir():
        raise PodError(REASON, f"folder gone: {code}")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise PodError(REASON, f"folder not readable: {code}")
    return folder


def _manifest(home: Path, code: str) -> list[Entry]:
    data = _content(home, code.removeprefix(PREFIX))
    try:
        return decode_manifest(data)
    except msgspec.DecodeError:
        raise PodError(
            REASON, f"snapshot {code} is damaged; run it again from its folder"
        ) from None


def _content(home: Path, name: str) -> bytes:
    try:
        data = object_path(home, name).read_bytes()
    except FileNotFoundError:
        raise PodError(
            REASON, f"snapshot content {name[:12]} is gone; run it again from its folder"
        ) from None
    if digest(data) != name:
        raise PodError(
            REASON, f"snapshot content {name[:12]} is damaged; run it again from its folder"
        )
    return data


def _unpack(entries: list[Entry], home: Path, work: Path) -> None:
    """Files first, then links, so that no file is written through a link; folder modes last."""
    for entry in entries:
        _check(entry)
    folders = [entry for entry in entries if not entry.hash and not entry.link]
    for entry in folders:
        (work / entry.path).mkdir(parents=True, exist_ok=True)
    for entry in (entry for entry in entries if entry.hash):
        _file(work / entry.path, _content(home, entry.hash), entry.mode)
    for entry in (entry for entry in entries if entry.link):
        _link(work / entry.path, entry.link)
    for entry in reversed(folders):
        (work / entry.path).chmod(entry.mode | 0o700)


def _check(entry: Entry) -> None:
    parts = PurePosixPath(entry.path).parts
    if not parts or entry.path.startswith("/") or ".." in parts:
        raise PodError(REASON, f"the snapshot holds a path outside its folder: {entry.path!r}")


def _file(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # half a copy that an agent left when it was killed
    path.write_bytes(content)
    path.chmod(mode | 0o600)


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)

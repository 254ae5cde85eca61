"""What a folder holds, within bounds, before anything of it is read."""

import os
import stat
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

from shoal.cli.errors import BadInput
from shoal.cli.say import say_bytes, tilde
from shoal.cli.snapshot.ignore import Rules

MOST_BYTES: Final = 256 * 1024 * 1024
MOST_FILES: Final = 50_000


class Found(NamedTuple):
    """An entry: its path below the folder with ``/`` between parts, and its lstat."""

    path: str
    stat: os.stat_result

    @property
    def is_file(self) -> bool:
        """Whether it has a content."""
        return stat.S_ISREG(self.stat.st_mode)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.stat.st_mode)


def walk(folder: Path, home: Path) -> list[Found]:
    """Files, folders and links that belong to a snapshot; sockets and devices do not.

    The home of the box, where snapshots are kept, is never part of one. Raises BadInput where
    the folder is more than a snapshot takes, and OSError for what cannot be read.
    """
    found: list[Found] = []
    sizes: Counter[str] = Counter()
    waiting = [("", Rules.at(folder))]
    kept_out = _identity(home)
    while waiting:
        path, rules = waiting.pop()
        for entry in _entries(folder, path, rules, waiting, kept_out):
            found.append(entry)
            size = entry.stat.st_size if entry.is_file else 0
            sizes[entry.path.partition("/")[0]] += size
            sizes[""] += size
            if sizes[""] > MOST_BYTES or len(found) > MOST_FILES:
                raise BadInput(_too_much(folder, found, sizes))
    return found


def _entries(
    folder: Path,
    path: str,
    rules: Rules,
    waiting: list[tuple[str, Rules]],
    kept_out: tuple[int, int] | None,
) -> list[Found]:
    """One folder's entries; the folders among them are left to be looked at next."""
    found = []
    with os.scandir(folder / path) as scan:
        entries = sorted(scan, key=lambda entry: entry.name)
    rules = rules.inside(folder / path, {entry.name for entry in entries})
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if rules.leave_out(entry.name, folder=is_folder):
            continue
        one = Found(f"{path}{entry.name}", entry.stat(follow_symlinks=False))
        if is_folder:
            if (one.stat.st_dev, one.stat.st_ino) == kept_out:
                continue
            waiting.append((f"{one.path}/", rules.under(entry.name)))
        elif not (one.is_file or one.is_link):
            continue
        found.append(one)
    return found


def _identity(home: Path) -> tuple[int, int] | None:
    try:
        told = home.stat()
    except OSError:
        return None
    return told.st_dev, told.st_ino


def _too_much(folder: Path, found: list[Found], sizes: Counter[str]) -> str:
    """The sentence: how much, where most of it lies, and what to do."""
    if sizes[""] > MOST_BYTES:
        limit = f"more than {say_bytes(MOST_BYTES)}"
        name = max((name for name in sizes if name), key=lambda name: sizes[name])
        most = f"{name} alone holds {say_bytes(sizes[name])}"
    else:
        limit = f"more than {MOST_FILES} files"
        counts = Counter(entry.path.partition("/")[0] for entry in found)
        name, count = counts.most_common(1)[0]
        most = f"{name} alone holds {count}"
    line = f"{name}/" if (folder / name).is_dir() else name
    return (
        f"{tilde(folder)} is {limit}, too much to copy for a run ({most} or more). "
        f"Leave it out by a line {line} in .shoalignore, or run in the folder itself: --in-place"
    )

"""Where control groups are mounted and which ones a process is in (proc(5), cgroups(7))."""

import re
from pathlib import Path
from typing import Final

UNIFIED: Final = ""
"""Stands for version 2 among the names of controllers."""


class GroupTree:
    """The control groups of one process. ``proc`` is its folder in /proc."""

    def __init__(self, proc: Path) -> None:
        self._own = dict(_own_groups(proc))
        self._mounts = _mounts(proc)

    @property
    def controllers(self) -> set[str]:
        """Controllers of version 1 that the process is grouped by."""
        return set(self._own) - {UNIFIED}

    def mount(self, controller: str) -> Path | None:
        """Where a controller's tree is mounted."""
        return self._mounts[controller][0] if controller in self._mounts else None

    def folder(self, controller: str) -> Path | None:
        """The process's own group, as far as it can be seen from here.

        A container may have only a part of the tree mounted.
        """
        if controller not in self._own or controller not in self._mounts:
            return None
        group, (point, root) = self._own[controller], self._mounts[controller]
        inside = group.removeprefix(root.rstrip("/")) if group.startswith(root) else group
        folder = point / inside.lstrip("/")
        return folder if folder.is_dir() else None


def read_text(path: Path) -> str:
    """A small file of the kernel's; empty where it cannot be read."""
    try:
        return path.read_text()
    except OSError:
        return ""


def _own_groups(proc: Path) -> list[tuple[str, str]]:
    """(controller, path of the group this process is in)."""
    groups = []
    for line in read_text(proc / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        groups += [(controller, path) for controller in controllers.split(",")]
    return groups


def _mounts(proc: Path) -> dict[str, tuple[Path, str]]:
    """(mount point, group mounted there) by controller."""
    found: dict[str, tuple[Path, str]] = {}
    for line in read_text(proc / "mountinfo").splitlines():
        left, _, right = line.partition(" - ")
        fields, (kind, _, options) = left.split(" "), right.split(" ", 2)
        place = (Path(_unescape(fields[4])), _unescape(fields[3]))
        if kind == "cgroup2":
            found[UNIFIED] = place
        elif kind == "cgroup":
            found |= dict.fromkeys(options.split(","), place)
    return found


def _unescape(text: str) -> str:
    """mountinfo writes blanks and backslashes in octal."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)

"""Processes of this machine: whose they are, and ending those that lost their keeper."""

import asyncio
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Final

MARK: Final = "SHOAL_POD_UID"
"""The variable that every program of a pod inherits, and its children from it."""

_PROC: Final = Path("/proc")
_FIRST_PAUSE_S: Final = 0.005
_LONGEST_PAUSE_S: Final = 1.0


def belongs_to_shoal(pid: int) -> bool:
    """Whether a process runs in a pod, as far as this user may see."""
    return f"\0{MARK}=".encode() in b"\0" + _environment(_PROC / str(pid))


def processes_of(pod_uid: str) -> set[int]:
    """The processes whose environment names the pod."""
    mark = f"\0{MARK}={pod_uid}\0".encode()
    folders = [folder for folder in _PROC.iterdir() if folder.name.isdigit()]
    return {int(f.name) for f in folders if mark in b"\0" + _environment(f) + b"\0"}


async def kill_whole(pod_uid: str, cgroups: Iterable[Path]) -> None:
    """Kills what a dead keeper left of a pod; returns once nothing of it lives.

    Found by control group where there is one, and by environment. What a keeper kept needs
    none of this: it ends its own tree.
    """
    groups = list(cgroups)
    pause = _FIRST_PAUSE_S
    while pids := _members(groups) | processes_of(pod_uid):
        for pid in pids:
            _kill(pid)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)


def _environment(folder: Path) -> bytes:
    try:
        return (folder / "environ").read_bytes()
    except OSError:
        return b""  # gone, or another user's


def _members(groups: list[Path]) -> set[int]:
    found: set[int] = set()
    for procs in groups:
        try:
            found.update(int(line) for line in procs.read_text().split())
        except OSError:
            continue  # the group is gone, and so are its members
    return found


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return

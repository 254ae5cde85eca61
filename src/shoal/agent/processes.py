"""Processes of this machine: whose they are, and ending those that lost their keeper."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from shoal.agent.cgroupfs import read_text

MARK: Final = "SHOAL_POD_UID"
"""The variable that every program of a pod inherits, and its children from it."""

_PROC: Final = Path("/proc")
_DEAD: Final = "ZXx"
_STOPPED: Final = "Tt"
_FIRST_PAUSE_S: Final = 0.005
_LONGEST_PAUSE_S: Final = 1.0


def belongs_to_shoal(pid: int) -> bool:
    """Whether a process runs in a pod, as far as this user may see."""
    return f"\0{MARK}=".encode() in b"\0" + _environment(_PROC / str(pid))


def processes_of(pod_uid: str) -> set[int]:
    """The processes whose environment names the pod."""
    mark = f"\0{MARK}={pod_uid}\0".encode()
    return {p for p in _pids() if mark in b"\0" + _environment(_PROC / str(p)) + b"\0"}


def descendants(roots: Iterable[int]) -> set[int]:
    """What lives and was started by one of these, or by what they started."""
    children: dict[int, list[int]] = {}
    for pid in _pids():
        if (stat := _stat(pid)) is not None and stat[0] not in _DEAD:
            children.setdefault(stat[1], []).append(pid)
    found: set[int] = set()
    ahead = list(roots)
    while ahead:
        fresh = set(children.get(ahead.pop(), ())) - found
        found |= fresh
        ahead += fresh
    return found


def stands_still(pid: int) -> bool:
    """Whether a process was stopped, by a signal or by a debugger."""
    stat = _stat(pid)
    return stat is not None and stat[0] in _STOPPED


async def kill_whole(pod_uid: str, groups: Iterable[Path]) -> None:
    """Kills what a dead keeper left of a pod; returns once nothing of it lives.

    Found by control group where there is one, by environment, and by who started whom. What a
    keeper kept needs none of this: it ends its own tree.
    """
    folders = list(groups)

    def found() -> set[int]:
        known = _members(folders) | processes_of(pod_uid)
        return known | descendants(known) if known else known

    await _kill_all(found)


async def kill_below(pid: int) -> None:
    """Kills all that came from a process which adopts its orphans; it lives on itself."""
    await _kill_all(lambda: descendants([pid]))


async def _kill_all(found: Callable[[], set[int]]) -> None:
    """Again until none is found: a process may start others while it is being killed."""
    pause = _FIRST_PAUSE_S
    while pids := found():
        for pid in pids:
            _kill(pid)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)


def _pids() -> list[int]:
    return [int(folder.name) for folder in _PROC.iterdir() if folder.name.isdecimal()]


def _stat(pid: int) -> tuple[str, int] | None:
    """(state, parent) of a process; None if it is gone."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    state, parent, *_ = text.rpartition(")")[2].split()  # the name before may hold anything
    return state, int(parent)


def _environment(folder: Path) -> bytes:
    try:
        return (folder / "environ").read_bytes()
    except OSError:
        return b""  # gone, or another user's


def _members(groups: list[Path]) -> set[int]:
    """The processes of some groups and of those that a program made within."""
    files = [file for group in groups for file in group.rglob("cgroup.procs")]
    return {int(line) for file in files for line in read_text(file).split()}


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return

"""What ``shoal doctor`` looks at: each check says what is, and what to do where it is wrong."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from shoal.cli.box.errors import BoxError
from shoal.cli.box.home import running
from shoal.cli.box.ports import DEFAULT_PORT, check_free

_OLDEST_PYTHON: Final = (3, 11)
_ROOM_BYTES: Final = 1024**3
_BUILT_AFTER: Final = 1_760_000_000
"""No clock that is right shows an earlier time than this (October 2025), in seconds."""


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    NOTE = "note"
    """Something is missing that some people need."""
    BAD = "bad"


class Finding(msgspec.Struct, frozen=True):
    """What a check found. ``remedy`` is empty where nothing is to be done."""

    about: str
    level: Level
    fact: str
    remedy: str = ""


def look(home: Path) -> list[Finding]:
    """Run every check."""
    return [check(home) for check in _CHECKS]


def _python(_: Path) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= _OLDEST_PYTHON:
        return Finding("python", Level.OK, f"Python {version}")
    return Finding("python", Level.BAD, f"Python {version} is too old", "install Python 3.11")


def _compiler(_: Path) -> Finding:
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        if name and (path := shutil.which(name)):
            return Finding("compiler", Level.OK, f"C compiler {path}")
    return Finding(
        "compiler",
        Level.NOTE,
        "no C compiler; shoal itself is built, a new version could not be",
        "install one: apt-get install gcc",
    )


def _keeper(_: Path) -> Finding:
    from shoal.agent.native import keeper_path

    try:
        path = keeper_path()
        subprocess.run([path, "--version"], check=True, capture_output=True, timeout=10)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        return Finding("keeper", Level.BAD, f"the keeper does not run: {error}", "reinstall shoal")
    return Finding("keeper", Level.OK, f"the keeper of programs runs ({path})")


def _disk(home: Path) -> Finding:
    folder = next(path for path in (home, *home.parents) if path.is_dir())
    room = os.statvfs(folder)
    free = room.f_bavail * room.f_frsize
    fact = f"{free / 1024**3:.1f} GiB free for {home}"
    if not os.access(folder, os.W_OK) or not room.f_blocks:
        remedy = "set SHOAL_HOME to a folder that can"
        return Finding("disk", Level.BAD, f"{home} cannot be written", remedy)
    if free < _ROOM_BYTES:
        remedy = "free 1 GiB, or set SHOAL_HOME elsewhere"
        return Finding("disk", Level.BAD, fact, remedy)
    return Finding("disk", Level.OK, fact)


def _private(home: Path) -> Finding:
    if home.exists() and not home.is_dir():
        remedy = "set SHOAL_HOME to a folder"
        return Finding("home", Level.BAD, f"{home} is no folder", remedy)
    if home.exists() and home.stat().st_mode & 0o077:
        return Finding("home", Level.BAD, f"{home} is open to others", f"chmod 700 {home}")
    return Finding(
        "home",
        Level.OK,
        "private; every run has the rights of the user who ran shoal up",
    )


def _store(home: Path) -> Finding:
    from shoal.apiserver.storecopy import survey
    from shoal.apiserver.storefile import StoreError
    from shoal.cli.say import say_bytes

    path = home / "store.db"
    if not path.exists():
        return Finding("store", Level.OK, "no objects yet")
    try:
        held = survey(path)
    except StoreError as error:
        fact, _, remedy = str(error).partition("; ")
        return Finding("store", Level.BAD, fact, remedy)
    except OSError as error:
        remedy = "give its owner the right to read it"
        return Finding("store", Level.BAD, f"{path} cannot be read ({error.strerror})", remedy)
    size = say_bytes(path.stat().st_size)
    fact = f"{held.objects} objects at version {held.revision}, every row whole ({size})"
    return Finding("store", Level.OK, fact)


def _port(home: Path) -> Finding:
    state = running(home)
    if state is not None:
        return Finding("port", Level.OK, f"this box has port {state.port}")
    try:
        check_free(DEFAULT_PORT)
    except BoxError:
        remedy = "start with another: shoal up --port 0"
        return Finding("port", Level.BAD, f"port {DEFAULT_PORT} is taken", remedy)
    return Finding("port", Level.OK, f"port {DEFAULT_PORT} is free")


def _cards(_: Path) -> Finding:
    from shoal.agent.discovery import count_real_cards

    try:
        count = count_real_cards()
    except RuntimeError as error:
        return Finding(
            "cards",
            Level.NOTE,
            f"no NVIDIA driver ({error})",
            "install the driver, or try simulated cards: shoal up --gpus sim:2xA100-80GB",
        )
    return Finding("cards", Level.OK, f"NVML sees {count} card{'s' * (count != 1)}")


def _cgroups(_: Path) -> Finding:
    from shoal.agent.cgroups import why_unlimited

    reason = why_unlimited()
    if not reason:
        return Finding("cgroups", Level.OK, "cpu and memory limits hold")
    return Finding("cgroups", Level.NOTE, reason, "run as root, or have cgroups delegated to you")


def _clock(_: Path) -> Finding:
    now = time.time()
    if now < _BUILT_AFTER:
        shown = time.strftime("%Y-%m-%d %H:%M", time.gmtime(now))
        return Finding(
            "clock", Level.BAD, f"the clock shows {shown} UTC", "set it, or run an NTP client"
        )
    return Finding("clock", Level.OK, "the clock is plausible")


_CHECKS: Final[tuple[Callable[[Path], Finding], ...]] = (
    _python,
    _compiler,
    _keeper,
    _disk,
    _private,
    _store,
    _port,
    _cards,
    _cgroups,
    _clock,
)

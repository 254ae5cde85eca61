"""Control groups: cpu and memory limits of containers, where this machine lets us.

Version 1 has one tree a controller, version 2 one for all. A container's group is made below
the agent's own (v1), or below the nearest group above it that is delegated to this user with
the controllers handed down (v2). https://docs.kernel.org/admin-guide/cgroup-v2.html
"""

import contextlib
import os
from pathlib import Path
from typing import Final

import msgspec

from shoal.agent.cgroupfs import UNIFIED, GroupTree, read_text

PROC: Final = Path("/proc/self")

_CONTROLLERS: Final = ("memory", "cpu", "pids")
_NEEDED: Final = ("memory", "cpu")
PREFIX: Final = "shoal-"
"""How the name of a group begins; the pod's uid and the container's name follow."""
_PERIOD_US: Final = 100_000
_MOST_PIDS: Final = 32_768
"""Processes and threads of one container: enough for any program, too few for a fork bomb."""
_LEAST_QUOTA_US: Final = 1000
_MOST_QUOTA_US: Final = 2**44 - 1
"""More is refused by the kernel (kernel/sched/core.c, max_cfs_runtime)."""
_MOST_BYTES: Final = 2**63 - 1
"""What is more than 64 bits hold is read as what is left of it."""


class Limits(msgspec.Struct, frozen=True):
    """What a container may use at most; 0 means no limit."""

    cpu_milli: int = 0
    memory_bytes: int = 0


class Group(msgspec.Struct, frozen=True):
    """The groups of one container: files for its keeper, ready to be joined."""

    procs: list[Path] = []
    oom_file: Path | None = None


class Cgroups(msgspec.Struct, frozen=True):
    """Where groups can be made: a folder a controller. ``why`` says what limits cannot hold."""

    bases: dict[str, Path]
    version: int
    why: str = ""

    def make(self, pod_uid: str, container: str, limits: Limits) -> Group:
        """The groups of a container with its limits set; those that exist are used again."""
        folders = self.folders(pod_uid, container)
        for folder in folders:
            folder.mkdir(exist_ok=True)
        for file, value in self._settings(pod_uid, container, limits):
            if file.exists():
                file.write_text(value)
        memory = self._folder("memory", pod_uid, container) if "memory" in self.bases else None
        oom = "memory.oom_control" if self.version == 1 else "memory.events"
        procs = [folder / "cgroup.procs" for folder in folders]
        return Group(procs, memory / oom if memory else None)

    def of(self, pod_uid: str) -> list[Path]:
        """The groups of a pod that this agent may have made."""
        bases = sorted(set(self.bases.values()))
        return [folder for base in bases for folder in base.glob(f"{PREFIX}{pod_uid}-*")]

    def folders(self, pod_uid: str, container: str) -> list[Path]:
        """Where the groups of a container are made."""
        named = (self._folder(controller, pod_uid, container) for controller in self.bases)
        return list(dict.fromkeys(named))

    def _folder(self, controller: str, pod_uid: str, container: str) -> Path:
        return self.bases[controller] / f"{PREFIX}{pod_uid}-{container}"

    def _settings(self, pod_uid: str, container: str, limits: Limits) -> list[tuple[Path, str]]:
        memory = str(min(limits.memory_bytes, _MOST_BYTES)) if limits.memory_bytes else ""
        quota = max(limits.cpu_milli * _PERIOD_US // 1000, _LEAST_QUOTA_US)
        quota = min(quota, _MOST_QUOTA_US)
        if self.version == 1:
            texts = {
                ("memory", "memory.limit_in_bytes"): memory,
                ("memory", "memory.memsw.limit_in_bytes"): memory,
                ("cpu", "cpu.cfs_quota_us"): str(quota) if limits.cpu_milli else "",
            }
        else:
            texts = {
                ("memory", "memory.max"): memory,
                ("memory", "memory.swap.max"): "0" if memory else "",
                ("cpu", "cpu.max"): f"{quota} {_PERIOD_US}" if limits.cpu_milli else "",
            }
        texts["pids", "pids.max"] = str(_MOST_PIDS)
        return [
            (self._folder(controller, pod_uid, container) / file, text)
            for (controller, file), text in texts.items()
            if text and controller in self.bases
        ]


def remove_group(folder: Path) -> None:
    """Removes a group and those that a program made within; one in use stays."""
    inner = [Path(path) for path, _, _ in os.walk(folder, topdown=False)]
    for group in inner:
        with contextlib.suppress(OSError):  # empty groups cost nothing
            group.rmdir()


def find_cgroups(proc: Path = PROC) -> Cgroups:
    """What this machine lets the agent do, found by trying."""
    tree = GroupTree(proc)
    if tree.controllers.intersection(_NEEDED):
        own = {controller: tree.folder(controller) for controller in _CONTROLLERS}
        bases = {name: folder for name, folder in own.items() if folder and _can_make(folder)}
        return Cgroups(bases, 1, _why(bases, "cgroup v1 is not writable for this user"))
    base = _delegated(tree)
    bases = dict.fromkeys(_handed_down(base), base) if base else {}
    return Cgroups(bases, 2, _why(bases, "cgroup v2 is not delegated to this user"))


def why_unlimited() -> str:
    """Why cpu or memory limits do not hold on this machine; empty where both do."""
    return find_cgroups().why


def _why(bases: dict[str, Path], cause: str) -> str:
    missing = [controller for controller in _NEEDED if controller not in bases]
    return f"{' and '.join(missing)} limits do not hold here: {cause}" if missing else ""


def _delegated(tree: GroupTree) -> Path | None:
    """The nearest group upwards that hands controllers down and lets us make groups in it."""
    folder, top = tree.folder(UNIFIED), tree.mount(UNIFIED)
    while folder is not None and top is not None and folder.is_relative_to(top):
        movable = os.access(folder / "cgroup.procs", os.W_OK)
        if movable and _handed_down(folder) and _can_make(folder):
            return folder
        folder = folder.parent
    return None


def _handed_down(folder: Path) -> list[str]:
    given = read_text(folder / "cgroup.subtree_control").split()
    return [controller for controller in _CONTROLLERS if controller in given]


def _can_make(folder: Path) -> bool:
    probe = folder / f"{PREFIX}probe-{os.getpid()}"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return False
    return True

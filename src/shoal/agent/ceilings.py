"""What the agent's own control groups leave of the machine: a container has less than its host."""

from pathlib import Path

from shoal.agent.cgroupfs import UNIFIED, GroupTree, read_text
from shoal.units.quantity import MIB

_NO_LIMIT_MIB = 1 << 40


def memory_ceiling_mib(proc: Path) -> int:
    """MiB that this process and its children may have in all; huge where there is no bound."""
    tree = GroupTree(proc)
    limits = [_NO_LIMIT_MIB]
    if (folder := tree.folder("memory")) is not None:
        words = dict(line.split() for line in read_text(folder / "memory.stat").splitlines())
        limits.append(int(words.get("hierarchical_memory_limit", 1 << 60)) // MIB)
    for folder in _upwards(tree):
        text = read_text(folder / "memory.max").strip()
        limits += [int(text) // MIB] if text.isdigit() else []
    return min(limits)


def cpu_ceiling_milli(proc: Path, cores: int) -> int:
    """mCPU that this process and its children may use in all; ``cores`` are those it may run on."""
    tree = GroupTree(proc)
    limits = [cores * 1000]
    if (folder := tree.folder("cpu")) is not None:
        quota, period = (
            read_text(folder / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")
        )
        limits += _quota(quota, period)
    for folder in _upwards(tree):
        limits += _quota(*(read_text(folder / "cpu.max").split() or ("max", "")))
    return min(limits)


def _quota(quota: str, period: str) -> list[int]:
    return [int(quota) * 1000 // int(period)] if quota.isdigit() and period.isdigit() else []


def _upwards(tree: GroupTree) -> list[Path]:
    """The process's group of version 2 and those that it lies in, as far as they are mounted."""
    own, top = tree.folder(UNIFIED), tree.mount(UNIFIED)
    if own is None or top is None:
        return []
    return [folder for folder in (own, *own.parents) if folder.is_relative_to(top)]

"""Processes that somebody stopped (SIGSTOP): they live and answer nobody (proc_pid_stat(5))."""

from pathlib import Path
from typing import Final

_STOPPED: Final = ("T", "t")


def say_stopped(pid: int) -> str:
    """``stopped; let it go on: kill -CONT 12``, and nothing of a process that is not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    state = stat.rpartition(")")[2].split()[0]
    return f"stopped; let it go on: kill -CONT {pid}" if state in _STOPPED else ""

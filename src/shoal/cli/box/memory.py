"""How much memory a process really costs: its proportional set size (proc_pid_smaps(5))."""

from pathlib import Path


def pss_mib(pid: int) -> int | None:
    """PSS in MiB, or None where there is no such process or it may not be looked at."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return None
    line = next((text for text in rollup.splitlines() if text.startswith("Pss:")), "Pss: 0 kB")
    return -(-int(line.split()[1]) // 1024)

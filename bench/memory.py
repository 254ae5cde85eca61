"""Memory of all processes of a box (PSS, keepers included) with 1,000 finished runs in the store.

python bench/memory.py
"""

from pathlib import Path

import harness
from throughput import finish_runs

from shoal.cli.box.memory import pss_mib

AIM_MIB = 256
RUN_COUNT = 1000


def main() -> None:
    """Measure and tell, with eight programs running."""
    with harness.box() as box:
        finish_runs(box, RUN_COUNT, "true")
        for number in range(8):
            command = ["run", "-d", "--in-place", "--name", f"sleep-{number}", "--gpu", "1/4"]
            box.shoal(*command, "--", "sleep", "600")
        while box.shoal("ps").count("running") < 8:
            pass
        parts = sorted(_processes(box.home).items())
    total = sum(mib for _, mib in parts)
    each = ", ".join(f"{name} {mib}" for name, mib in parts)
    value = f"{total} MiB with {RUN_COUNT} finished and 8 running runs ({each})"
    harness.tell("PSS of the box", value, "< 256 MiB", reached=total < AIM_MIB)


def _processes(home: Path) -> dict[str, int]:
    """MiB by role, of the box's processes and the keepers; the programs are left out."""
    sizes: dict[str, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            arguments = (entry / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        role = _role(arguments)
        if str(home).encode() in told and role:
            sizes[role] = sizes.get(role, 0) + (pss_mib(int(entry.name)) or 0)
    return sizes


def _role(arguments: list[str]) -> str:
    if arguments[0].endswith("shoal_keeper"):
        return "keepers"
    if "shoal" in arguments[:3]:
        return arguments[arguments.index("shoal") + 1]
    return ""


if __name__ == "__main__":
    main()

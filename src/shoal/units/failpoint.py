"""Named places at which a test may have the process die as if by kill -9.

Nothing happens unless ``SHOAL_FAILPOINTS`` names a plan: a text file with a line ``NAME COUNT``
for each death. A process takes of every name the first line that is not used up, and dies the
COUNT-th time that it passes there. Just before that it adds the line to the plan's journal,
``PLAN.fired``, which uses it up for the lives to come and is itself a plan: that of the same
deaths in the order in which they came.
"""

import os
import signal
from collections import Counter
from pathlib import Path
from typing import Final

_PLAN: Final = os.environ.get("SHOAL_FAILPOINTS", "")


def failpoint(name: str) -> None:
    """Die here if the plan says so."""
    if name in _left:
        _left[name] -= 1
        if _left[name] == 0:
            _die(name)


def journal_of(plan: Path) -> Path:
    """Where the deaths of a plan are noted."""
    return plan.with_name(f"{plan.name}.fired")


def _die(name: str) -> None:
    line = f"{name} {_counts[name]}\n"
    journal = os.open(journal_of(Path(_PLAN)), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(journal, line.encode())
    os.kill(os.getpid(), signal.SIGKILL)


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _read(plan: Path) -> dict[str, int]:
    """At which passing to die, by name."""
    fired = Counter(_lines(journal_of(plan)))
    counts: dict[str, int] = {}
    for line in _lines(plan):
        if fired[line] > 0:
            fired[line] -= 1
            continue
        name, _, count = line.partition(" ")
        counts.setdefault(name, int(count))
    return counts


_counts: Final = _read(Path(_PLAN)) if _PLAN else {}
_left: Final = dict(_counts)

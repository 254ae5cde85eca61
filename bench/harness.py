"""What the benchmarks share: a box in a temporary home, and the machine told beside a figure."""

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from shoal.kube.blocking import BlockingClient
from shoal.kube.config import load_config

SHOAL = str(Path(sys.executable).with_name("shoal"))
GPUS = "sim:2xA100-80GB"
"""Two cards: eight shares of a quarter."""


class Box:
    """A running box. ``ready_seconds`` is how long ``shoal up`` took."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.env = os.environ | {"SHOAL_HOME": str(home)}
        started = time.monotonic()
        self.shoal("up", "-d", "--port", "0", "--gpus", GPUS)
        self.ready_seconds = time.monotonic() - started
        self.client = BlockingClient(load_config(home / "kubeconfig"))

    def shoal(self, *arguments: str) -> str:
        """Run a shoal command; its output."""
        done = subprocess.run(
            [SHOAL, *arguments], env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout


@contextlib.contextmanager
def box() -> Iterator[Box]:
    """A box that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as folder:
        home = Path(folder) / "home"
        try:
            yield Box(home)
        finally:
            if (home / "box.json").exists():
                env = os.environ | {"SHOAL_HOME": str(home)}
                subprocess.run([SHOAL, "down", "--kill"], env=env, check=False)
            shutil.rmtree(home, ignore_errors=True)


def tell(figure: str, value: str, aim: str, *, reached: bool) -> None:
    """Print a figure, what it should be, and the machine it was measured on."""
    mark = "reached" if reached else "MISSED"
    print(f"{figure}: {value} (aim {aim}: {mark}) · {_machine()}", flush=True)


def _machine() -> str:
    cpu = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    return (
        f"{os.cpu_count()} cores {cpu}, {memory:.0f} GiB, Linux {platform.release()}, "
        f"Python {platform.python_version()}"
    )

"""A box as a person uses it: through its commands."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

GPUS = "sim:2xA100-80GB,1xT4"
LONGEST_WAIT = 60
COMPILED = Path(sys.prefix) / "compiled"
"""What Python makes of our modules, kept as an installed shoal has it."""


class Box:
    """The commands of one home. ``work`` is a folder to run from."""

    def __init__(self, home: Path, work: Path) -> None:
        self.home = home
        self.work = work
        kept = {k: v for k, v in os.environ.items() if not k.startswith("SHOAL_")}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        self.env = kept | {"SHOAL_HOME": str(home), "PYTHONPYCACHEPREFIX": str(COMPILED)}

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "shoal", *arguments]

    def shoal(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        options = {"cwd": self.work, "env": self.env, "timeout": LONGEST_WAIT * 2} | options
        return subprocess.run(
            self.command(*arguments), capture_output=True, text=True, check=False, **options
        )

    def ok(self, *arguments: str) -> str:
        """Run a command that must succeed; what it printed."""
        done = self.shoal(*arguments)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def refused(self, *arguments: str) -> str:
        """Run a command that must be refused: exit 2, one sentence, no traceback."""
        done = self.shoal(*arguments)
        assert done.returncode == 2, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        assert done.stderr.startswith("shoal: ")
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") == 1, f"more than one line: {done.stderr}"
        return done.stderr

    def kubectl(self, *arguments: str) -> str:
        """Run a stock kubectl that must succeed; what it printed."""
        kubectl = str(Path(sys.executable).with_name("kubectl"))
        command = [kubectl, "--kubeconfig", str(self.home / "kubeconfig"), *arguments]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{arguments}\n{done.stdout}{done.stderr}"
        return done.stdout

    def objects(self, *kinds: str) -> list[dict[str, Any]]:
        """Objects of the default namespace, as kubectl would list them."""
        return [
            item
            for kind in kinds
            for item in json.loads(self.ok("get", kind, "-o", "json"))["items"]
        ]

    def run(self, name: str) -> dict[str, Any]:
        """One run."""
        return next(r for r in self.objects("runs") if r["metadata"]["name"] == name)

    def status(self, name: str) -> dict[str, Any]:
        """The status of one run."""
        status: dict[str, Any] = self.run(name).get("status", {})
        return status

    def wait_for(self, name: str, *phases: str) -> dict[str, Any]:
        """Wait until a run is in one of the phases; its status."""
        self.until(lambda: self.status(name).get("phase") in phases, f"{name} is {phases}")
        return self.status(name)

    def pid_of(self, name: str) -> int:
        """The process of the box with that name."""
        state = json.loads((self.home / "box.json").read_text())
        return next(int(p["pid"]) for p in state["processes"] if p["name"] == name)

    def replace_process(self, name: str) -> None:
        """Kill -9 a process of the box; returns once its successor is there."""
        victim = self.pid_of(name)
        os.kill(victim, signal.SIGKILL)
        self.until(lambda: self.pid_of(name) != victim, f"{name} is started anew")

    def until(self, holds: Callable[[], bool], claim: str) -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + LONGEST_WAIT
        while not holds():
            assert time.monotonic() < deadline, f"not within {LONGEST_WAIT} s: {claim}"
            time.sleep(0.05)

    def stop_all(self) -> None:
        """End what a test left running, and forget every run."""
        for run in self.objects("runs"):
            self.ok("delete", "run", run["metadata"]["name"])
        self.until(lambda: not self.objects("runs", "pods", "resourceclaims"), "all is gone")

    def processes(self) -> list[int]:
        """Processes that name the home in their arguments or environment."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit():
                    told = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                    found += [int(entry.name)] if str(self.home).encode() in told else []
            except OSError:
                continue
        return found


def make_box(folder: Path) -> Box:
    """A box that is not up yet."""
    work = folder / "work"
    work.mkdir()
    return Box(folder / "home", work)

"""The processes of one home, without a supervisor: whichever dies is started anew at once.

So that deaths are as many as a test can count and none waits for a supervisor's patience.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.box.harness import Box

from shoal.api.kinds import QUEUES, RESOURCE_SLICES
from shoal.kube.blocking import BlockingClient
from shoal.kube.config import load_config
from shoal.kube.errors import ApiError

BOUND_S = 120
NAMES = ("apiserver", "loops", "agent")


class Town:
    """API server, loops and agent of a home. ``extra`` is added to their environment."""

    def __init__(self, folder: Path, gpus: str, extra: dict[str, str] | None = None) -> None:
        self.box = Box(folder / "home", folder)
        self.home = self.box.home
        self.ended_by_themselves: list[str] = []
        self.restarts = 0
        self._logs = folder
        self._environment = self.box.env | {"PYTHONFAULTHANDLER": "1"} | (extra or {})
        self._arguments = {"loops": ["loops"], "agent": ["agent", "--gpus", gpus]}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> BlockingClient:
        """Bring everything up; a client of its API server."""
        self.home.mkdir(mode=0o700)
        self._arguments["apiserver"] = ["apiserver", "--port", "0"]
        self._start("apiserver")
        self.until((self.home / "kubeconfig").exists, "the API server is up")
        config = load_config(self.home / "kubeconfig")
        self._arguments["apiserver"][-1] = config.server.rpartition(":")[2]
        for name in ("loops", "agent"):
            self._start(name)
        client = BlockingClient(config)
        self.until(lambda: _furnished(client), "the box is up")
        return client

    def look(self) -> None:
        """Start anew what has died; note what was not killed."""
        for name, process in list(self._processes.items()):
            if (code := process.poll()) is None:
                continue
            if code != -signal.SIGKILL:
                self.ended_by_themselves.append(f"{name} ended with {code}: {self.words(name)}")
            self.restarts += 1
            self._start(name)

    def pid(self, name: str) -> int:
        """The process of that name."""
        return self._processes[name].pid

    def kill(self, name: str) -> None:
        """Kill -9."""
        self._processes[name].kill()

    def signal(self, name: str, number: signal.Signals) -> None:
        """Any other signal."""
        self._processes[name].send_signal(number)

    def stop(self) -> None:
        """End everything in order: the agent while there is somebody to tell."""
        for name in reversed(NAMES):
            if (process := self._processes.pop(name, None)) is None:
                continue
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                process.wait(BOUND_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise

    def until(self, holds: Callable[[], bool], claim: str, bound_s: float = BOUND_S) -> None:
        """Wait until something holds, and keep everything alive meanwhile."""
        deadline = time.monotonic() + bound_s
        while not holds():
            assert time.monotonic() < deadline, f"not within {bound_s} s: {claim}"
            self.look()
            time.sleep(0.02)

    def words(self, name: str) -> str:
        """The last that a process said."""
        lines = (self._logs / f"{name}.log").read_text(errors="replace").splitlines()
        return lines[-1] if lines else "nothing"

    def _start(self, name: str) -> None:
        with (self._logs / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-m", "shoal", *self._arguments[name]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=self._environment | {"SHOAL_HOME": str(self.home)},
                start_new_session=True,
            )


def _furnished(client: BlockingClient) -> bool:
    """Whether there is a node, and what every box starts with."""
    try:
        client.get(QUEUES, "default", "default")
        return bool(client.list(RESOURCE_SLICES).items)
    except ApiError:
        return False


def environment_of(pid: int) -> bytes:
    """What a process was started with; empty once it is gone."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def alive(pid: int) -> bool:
    """Whether a process lives."""
    return os.path.exists(f"/proc/{pid}")  # noqa: PTH110

"""Real processes for the tests that need them."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

BOUND_S = 60
NODE = "node1"


def server_command(port: int = 0) -> list[str]:
    """How an API server is started alone."""
    return shoal_command("apiserver", "--port", str(port))


def shoal_command(*arguments: str) -> list[str]:
    """How a command of shoal is started."""
    return [sys.executable, "-m", "shoal", *arguments]


def server_environment(home: Path) -> dict[str, str]:
    """The environment that names its home."""
    return os.environ | {"SHOAL_HOME": str(home)}


@contextlib.contextmanager
def api_server(home: Path) -> Iterator[Path]:
    """An API server in a process of its own; the kubeconfig that it wrote."""
    with component(home, "apiserver", "--port", "0"):
        yield home / "kubeconfig"


@contextlib.contextmanager
def cluster(home: Path) -> Iterator[Path]:
    """An API server, the controllers and an agent named NODE, no scheduler; the kubeconfig."""
    with (
        api_server(home) as kubeconfig,
        component(home, "loops", "--only", "controllers"),
        component(home, "agent", "--node-name", NODE, "--gpus", "sim:2xA100-80GB"),
    ):
        yield kubeconfig


@contextlib.contextmanager
def component(home: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """One process of a box that says ready; ended afterwards, its log beside the home."""
    with (home.parent / f"{arguments[0]}.log").open("a") as log:
        process = subprocess.Popen(
            shoal_command(*arguments),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=server_environment(home),
        )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("ready"), f"{arguments[0]} did not start, see {log.name}"
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=BOUND_S)

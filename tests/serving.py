"""A real API server for the tests that need one."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

BOUND_S = 60


def server_command(port: int = 0) -> list[str]:
    """How an API server is started alone."""
    return [sys.executable, "-m", "shoal", "apiserver", "--port", str(port)]


def server_environment(home: Path) -> dict[str, str]:
    """The environment that names its home."""
    return os.environ | {"SHOAL_HOME": str(home)}


@contextlib.contextmanager
def api_server(home: Path) -> Iterator[Path]:
    """An API server in a process of its own; the kubeconfig that it wrote."""
    process = subprocess.Popen(
        server_command(), stdout=subprocess.PIPE, text=True, env=server_environment(home)
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("ready"), "the API server did not start"
        yield home / "kubeconfig"
    finally:
        process.terminate()
        process.communicate(timeout=BOUND_S)

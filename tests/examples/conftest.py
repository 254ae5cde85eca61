"""Start the examples as people do: as programs, with an environment and a folder of their own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
BOUND = 120.0  # seconds: far beyond what any of them takes

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start ``start("digits/train.py", "--epochs", "1", SHOAL_OUT=…)``; ended with the test."""
    started: list[subprocess.Popen[str]] = []

    def _start(program: str, *arguments: str, **env: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, str(EXAMPLES / program), *arguments],
            cwd=tmp_path,
            env={**os.environ, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return process

    yield _start
    for process in started:
        process.kill()
        process.communicate(timeout=BOUND)


@pytest.fixture
def run(start: Start) -> Callable[..., tuple[int, str]]:
    """Start one and wait for its end: exit code and all it said."""

    def _run(program: str, *arguments: str, **env: str) -> tuple[int, str]:
        process = start(program, *arguments, **env)
        said, _ = process.communicate(timeout=BOUND)
        return process.returncode, said

    return _run

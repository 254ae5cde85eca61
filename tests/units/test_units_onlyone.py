"""One process of its kind a home, however the one before it was left behind."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.agent.processes import stands_still
from shoal.units import onlyone
from shoal.units.onlyone import NotAloneError, only_one

HOLDER = """
import asyncio, sys
from pathlib import Path
from shoal.units.onlyone import only_one

async def main():
    async with only_one(Path(sys.argv[1]), "agent"):
        print("held", flush=True)
        sys.stdin.read()  # ends as a go pipe does

asyncio.run(main())
"""


@pytest.fixture
def holder(tmp_path: Path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


async def test_one_that_stood_still_ends_before_the_next_begins(
    tmp_path: Path, holder: "subprocess.Popen[bytes]"
):
    os.kill(holder.pid, signal.SIGSTOP)
    for _ in range(3000):
        if stands_still(holder.pid):
            break
        await asyncio.sleep(0.02)
    holder.stdin.close()
    async with only_one(tmp_path, "agent"):
        holder.wait(60)
        assert (tmp_path / "sock" / "agent.lock").read_text() == str(os.getpid())


async def test_one_that_lives_is_named(
    tmp_path: Path, holder: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(onlyone, "_LOOKS", 2)
    with pytest.raises(NotAloneError, match=f"kill -9 {holder.pid}"):
        async with only_one(tmp_path, "agent"):
            pass


async def test_the_lock_is_free_again_once_its_holder_has_ended(tmp_path: Path):
    for _ in range(2):
        async with only_one(tmp_path, "agent"):
            pass


async def test_different_kinds_live_side_by_side(tmp_path: Path):
    async with only_one(tmp_path, "controllers"), only_one(tmp_path, "scheduler"):
        pass

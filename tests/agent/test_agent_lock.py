"""One agent a home, however the one before it was left behind."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.agent.box import Box

from shoal.agent import agentlock
from shoal.agent.agentlock import agent_lock
from shoal.agent.errors import AgentError
from shoal.agent.processes import stands_still

HOLDER = """
import asyncio, sys
from pathlib import Path
from shoal.agent.agentlock import agent_lock

async def main():
    async with agent_lock(Path(sys.argv[1])):
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


async def test_an_agent_that_stood_still_ends_before_the_next_begins(
    tmp_path: Path, holder: "subprocess.Popen[bytes]"
):
    os.kill(holder.pid, signal.SIGSTOP)
    for _ in range(3000):
        if stands_still(holder.pid):
            break
        await asyncio.sleep(0.02)
    holder.stdin.close()
    async with agent_lock(tmp_path):
        holder.wait(60)
        assert (tmp_path / "sock" / "agent.lock").read_text() == str(os.getpid())


async def test_an_agent_that_lives_is_named(
    tmp_path: Path, holder: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(agentlock, "_LOOKS", 2)
    with pytest.raises(AgentError, match=f"kill -9 {holder.pid}"):
        async with agent_lock(tmp_path):
            pass


async def test_the_lock_is_free_again_once_its_agent_has_ended(tmp_path: Path):
    for _ in range(2):
        async with agent_lock(tmp_path):
            pass


async def test_an_agent_that_leaves_takes_only_its_own_socket_along(box: Box):
    sock = box.home.socket(box.node)
    sock.unlink()
    sock.write_text("of its successor")
    await box.stop()
    assert sock.read_text() == "of its successor"
    await box.start()
    await box.stop()
    assert not sock.exists()

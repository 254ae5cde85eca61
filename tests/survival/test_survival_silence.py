"""A silent node keeps its cards; a machine that was rebooted has lost what ran on it."""

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.box.harness import Box, make_box

BOOT_ID = "/proc/sys/kernel/random/boot_id"
IN_BOOT = f'mount --bind "$0" {BOOT_ID} && exec "$@"'
"""What is started after this takes a file for the kernel's word on its boot."""
WHOLE = "sim:1xT4"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = make_box(tmp_path)
    box.env["SHOAL_LEASE_SECONDS"] = "4"
    yield box
    box.ok("down", "--kill")
    assert not box.processes()


def ready(box: Box) -> str:
    """The word on the node: True, False or Unknown."""
    conditions = box.objects("nodes")[0]["status"]["conditions"]
    return str(next(c["status"] for c in conditions if c["type"] == "Ready"))


def pid_file(box: Box, name: str) -> Path:
    return box.home / "runs" / "default" / name / "out" / "pid"


def test_a_silent_node_keeps_its_cards_and_comes_back(box: Box) -> None:
    box.ok("up", "-d", "--port", "0", "--gpus", WHOLE)
    say = 'echo $$ > "$SHOAL_OUT/pid"; exec sleep 600'
    box.ok("run", "-d", "--name", "deleted", "--gpu", "1", "--", "sh", "-c", say)
    box.ok("run", "-d", "--name", "kept", "--", "sh", "-c", say)
    box.until(lambda: all(pid_file(box, n).exists() for n in ("deleted", "kept")), "both run")
    held, kept = (int(pid_file(box, name).read_text()) for name in ("deleted", "kept"))

    agent = box.pid_of("agent")
    os.kill(agent, signal.SIGSTOP)
    box.until(lambda: ready(box) == "Unknown", "the node is unknown")
    box.kubectl("delete", "run", "deleted", "--wait=false")
    wait_for = f"kill -0 {held} && exit 9; exit 0"
    box.ok("run", "-d", "--name", "next", "--gpu", "1", "--", "sh", "-c", wait_for)
    box.until(lambda: "silent" in box.status("next").get("message", ""), "it waits for the node")
    assert Path(f"/proc/{held}").exists()
    assert box.status("next")["phase"] == "Queued"

    os.kill(agent, signal.SIGCONT)
    box.until(lambda: ready(box) == "True", "the node is back")
    assert box.wait_for("next", "Succeeded", "Failed")["phase"] == "Succeeded"
    assert box.pid_of("agent") == agent
    assert box.status("kept")["phase"] == "Running"
    assert int(pid_file(box, "kept").read_text()) == kept
    assert Path(f"/proc/{kept}").exists()


def up_in_boot(box: Box, boot: Path) -> None:
    """Bring a box up on a kernel that was started anew, by its own word."""
    up = box.command("up", "-d", "--port", "0", "--gpus", WHOLE)
    command = ["unshare", "--mount", "sh", "-c", IN_BOOT, str(boot), *up]
    done = subprocess.run(command, env=box.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_reboot_fails_what_ran_and_retries_what_asked_for_it(box: Box, tmp_path: Path) -> None:
    boots = [tmp_path / "first-boot", tmp_path / "second-boot"]
    for number, boot in enumerate(boots):
        boot.write_text(f"{number}1111111-1111-1111-1111-111111111111\n")
    up_in_boot(box, boots[0])
    once = 'test -e "$SHOAL_OUT/once" && exit 0; touch "$SHOAL_OUT/once"; exec sleep 600'
    box.ok("run", "-d", "--name", "lost", "--gpu", "1/2", "--", "sleep", "600")
    box.ok("run", "-d", "--name", "again", "--gpu", "1/2", "--retry", "1", "--", "sh", "-c", once)
    marker = box.home / "runs" / "default" / "again" / "out" / "once"
    box.until(marker.exists, "the first try runs")
    box.wait_for("lost", "Running")

    supervisor = json.loads((box.home / "box.json").read_text())["pid"]
    os.kill(supervisor, signal.SIGKILL)
    while left := box.processes():
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    up_in_boot(box, boots[1])
    lost = box.wait_for("lost", "Failed")
    assert lost["reason"] == "NodeRebooted"
    assert "rebooted" in lost["message"]
    assert box.wait_for("again", "Succeeded", "Failed")["phase"] == "Succeeded"
    assert box.status("again")["restarts"] == 1

"""Two of everything: one wins, the other says so with a way out, and nothing is harmed."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.box.harness import GPUS, LONGEST_WAIT, Box, make_box

CARDS = {"cards": [{"model": "T4", "uuid": "GPU-two-of-everything"}]}


@pytest.fixture
def boxes(tmp_path: Path) -> Iterator[list[Box]]:
    """Boxes of two homes; whichever is up is brought down afterwards."""
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        made.append(make_box(folder))
    yield made
    for box in made:
        box.shoal("down", "--kill")
        assert not box.processes()


def sentence(done: "subprocess.CompletedProcess[str]") -> str:
    """What was said by one that lost: exit 2, one sentence."""
    assert done.returncode == 2, f"{done.returncode}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("shoal: ")]
    assert len(told) == 1, done.stderr
    return told[0]


def unharmed(box: Box, name: str) -> None:
    """The box works, with the processes that it had."""
    before = {part: box.pid_of(part) for part in ("apiserver", "loops", "agent")}
    assert box.status("held")["phase"] == "Running"
    box.ok("run", "--name", name, "--gpu", "1/2", "--", "true")
    assert {part: box.pid_of(part) for part in before} == before
    assert all(
        p["restarts"] == 0 for p in json.loads((box.home / "box.json").read_text())["processes"]
    )


def test_a_second_process_of_a_home_ends_with_a_sentence(boxes: list[Box]) -> None:
    box, other = boxes
    box.ok("up", "-d", "--port", "0", "--gpus", GPUS)
    box.ok("run", "-d", "--name", "held", "--gpu", "1/2", "--", "sleep", "600")
    box.wait_for("held", "Running")

    only = (("loops", "--only", "controllers"), ("loops", "--only", "scheduler"), ("loops",))
    seconds = [*only, ("agent", "--gpus", GPUS), ("apiserver", "--port", "0")]
    with ThreadPoolExecutor() as together:
        *loops, agent, server = (
            sentence(done) for done in together.map(lambda args: box.shoal(*args), seconds)
        )
    assert all(f"kill -9 {box.pid_of('loops')}" in told for told in loops)
    assert f"kill -9 {box.pid_of('agent')}" in agent
    assert f"serves {box.home}" in server
    assert "shoal down" in sentence(box.shoal("up", "-d", "--port", "0"))
    unharmed(box, "after-processes")

    other.home.mkdir(mode=0o700)
    shutil.copy(box.home / "kubeconfig", other.home / "kubeconfig")
    told = sentence(other.shoal("agent", "--gpus", GPUS))
    assert str(box.home) in told
    assert "--node-name" in told
    unharmed(box, "after-namesake")


def test_of_two_that_are_brought_up_at_once_one_runs(boxes: list[Box]) -> None:
    box = boxes[0]
    command = box.command("up", "-d", "--port", "0", "--gpus", GPUS)
    both = [
        subprocess.Popen(command, env=box.env, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [process.communicate(timeout=LONGEST_WAIT)[1] for process in both]
    codes = [process.returncode for process in both]
    assert sorted(codes) == [0, 2], said
    assert "a box runs on" in said[codes.index(2)]
    box.ok("run", "--name", "next", "--gpu", "1/2", "--", "true")


def test_two_homes_on_the_same_cards(boxes: list[Box], tmp_path: Path) -> None:
    one, two = boxes
    cards = tmp_path / "cards.json"
    cards.write_text(json.dumps(CARDS))
    up = ("up", "-d", "--port", "0", "--gpus", f"sim:{cards}")
    one.ok(*up)
    one.ok("run", "-d", "--name", "held", "--gpu", "1/2", "--", "sleep", "600")
    one.wait_for("held", "Running")
    told = sentence(two.shoal(*up))
    assert f"SHOAL_HOME={one.home} shoal down" in told
    two.until(lambda: not two.processes(), "nothing of the second box is left")
    unharmed(one, "after-cards")
    one.ok("down", "--kill")
    two.ok(*up)
    two.ok("run", "--name", "next", "--gpu", "1", "--", "true")


def test_of_two_restores_into_one_home_one_is_kept(boxes: list[Box], tmp_path: Path) -> None:
    one, two = boxes
    one.ok("up", "-d", "--port", "0", "--gpus", GPUS)
    one.ok("run", "--name", "saved", "--", "true")
    backup = tmp_path / "backup.shoal"
    one.ok("backup", str(backup))
    command = two.command("restore", str(backup))
    both = [
        subprocess.Popen(command, env=two.env, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    said = [process.communicate(timeout=LONGEST_WAIT)[1] for process in both]
    codes = [process.returncode for process in both]
    assert sorted(codes) == [0, 2], said
    assert str(two.home) in said[codes.index(2)]
    assert "is not empty" in two.refused("restore", str(backup))
    one.ok("down")
    two.ok("up", "-d", "--port", "0", "--gpus", GPUS)
    assert two.status("saved")["phase"] == "Succeeded"

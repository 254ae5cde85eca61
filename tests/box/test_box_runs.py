"""What happens to a program that is handed in: its output, its end, and the words for it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.box.harness import Box

PYTHON = sys.executable


def test_an_attached_run_gives_output_and_exit_code(box: Box) -> None:
    done = box.shoal("run", "--name", "hello", "--gpu", "1/2", "--", "sh", "-c", "echo hi; exit 3")
    assert "hi\n" in done.stdout
    assert done.returncode == 3
    assert "replica 0 exited with 3" in done.stderr + done.stdout
    assert box.status("hello")["failure"]["exitCode"] == 3


def test_a_signal_is_told_in_words(box: Box) -> None:
    done = box.shoal("run", "--name", "killed", "--", "sh", "-c", "kill -9 $$")
    assert done.returncode == 128 + signal.SIGKILL
    assert "signal 9" in box.status("killed")["message"]


def test_out_of_memory_is_told_apart_from_other_kills(box: Box) -> None:
    node = box.objects("nodes")[0]
    conditions = {c["type"]: c["status"] for c in node["status"]["conditions"]}
    if conditions["CgroupLimits"] != "True":
        pytest.skip("this machine lets nobody limit memory")
    eat = "x = []\nwhile True: x.append(bytearray(1 << 20))"
    done = box.shoal("run", "--name", "fat", "--memory", "64Mi", "--", PYTHON, "-c", eat)
    assert done.returncode == 128 + signal.SIGKILL
    assert "out of memory: 64 MiB limit" in box.status("fat")["message"]


def test_a_command_that_is_not_there_is_named(box: Box) -> None:
    done = box.shoal("run", "--name", "typo", "--", "no-such-program")
    assert done.returncode == 127
    assert "command not found: no-such-program" in box.status("typo")["message"]


def test_a_folder_that_is_gone_is_named(box: Box, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    run = f"""
apiVersion: shoal.dev/v1alpha1
kind: Run
metadata: {{name: lost}}
spec: {{run: "true", code: {folder}}}
"""
    (box.work / "lost.yaml").write_text(run)
    assert str(folder) in box.refused("apply", "-f", "lost.yaml")
    box.kubectl("apply", "-f", str(box.work / "lost.yaml"))
    assert str(folder) in box.wait_for("lost", "Failed")["message"]


def test_a_time_limit_ends_a_run_in_its_own_state(box: Box) -> None:
    box.shoal("run", "--name", "slow", "--time", "1s", "--", "sleep", "600")
    status = box.status("slow")
    assert status["phase"] == "TimedOut"
    assert "time limit 1s" in status["message"]


def test_stop_ends_a_run_and_its_whole_tree(box: Box) -> None:
    child = "sleep 4321 & exec sleep 4321"
    box.ok("run", "-d", "--name", "tree", "--", "sh", "-c", child)
    box.wait_for("tree", "Running")
    box.ok("stop", "tree")
    assert box.status("tree")["phase"] == "Stopped"
    assert not running("sleep 4321")


def test_a_program_that_ignores_the_signal_is_killed_after_its_grace(box: Box) -> None:
    stubborn = "trap '' TERM; while :; do sleep 0.1; done # 4322"
    box.ok("run", "-d", "--name", "stubborn", "--", "sh", "-c", stubborn)
    box.wait_for("stubborn", "Running")
    box.kubectl("delete", "pod", "stubborn-0", "--grace-period=1")
    assert "stubborn-0 was deleted" in box.wait_for("stubborn", "Failed")["message"]
    assert not running("4322")


def test_what_outlives_its_parent_is_killed_with_the_run(box: Box) -> None:
    escape = (
        "import os, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        os.execvp('sleep', ['sleep', '4323'])\n"
        "    os._exit(0)\n"
        "time.sleep(0.2)\n"
    )
    assert box.shoal("run", "--name", "fork", "--", PYTHON, "-c", escape).returncode == 0
    assert not running("sleep 4323")


def test_a_failure_is_tried_again_as_often_as_asked(box: Box) -> None:
    twice = 'echo x >> "$SHOAL_OUT/tries"; test $(wc -l < "$SHOAL_OUT/tries") -ge 3'
    done = box.shoal("run", "--name", "again", "--retry", "3", "--", "sh", "-c", twice)
    assert done.returncode == 0
    assert box.status("again")["restarts"] == 2


def test_a_gang_starts_whole_and_knows_its_ranks(box: Box) -> None:
    say = 'echo "$RANK of $WORLD_SIZE at $MASTER_ADDR:$MASTER_PORT on $CUDA_VISIBLE_DEVICES"'
    out = box.ok("run", "--name", "gang", "--replicas", "2", "--gpu", "1/4", "--", "sh", "-c", say)
    lines = sorted(line.split("] ", 1)[1] for line in out.splitlines() if " of 2 at " in line)
    assert [line.split(" ", 1)[0] for line in lines] == ["0", "1"]
    places = {line.split(" at ")[1].split(" on ")[0] for line in lines}
    cards = {line.split(" on ")[1] for line in lines}
    assert len(places) == 1, "all members meet at one address"
    assert len(cards) == 2, "members of a gang get distinct cards unless --pack"


def test_when_one_replica_dies_the_group_ends_and_the_first_failure_is_told(box: Box) -> None:
    first = "test $RANK = 1 && exit 5; exec sleep 4324"
    args = ("--replicas", "3", "--name", "trio")
    done = box.shoal("run", *args, "--", "sh", "-c", first)
    assert done.returncode == 5
    status = box.status("trio")
    assert status["failure"]["rank"] == 1
    assert "replica 1 exited with 5" in status["message"]
    assert not running("sleep 4324")


def test_editing_after_run_changes_nothing(box: Box) -> None:
    (box.work / "main.py").write_text("print('old')")
    blocker = ("run", "-d", "--name", "blocker", "--gpu", "A100:2", "--", "sleep", "600")
    box.ok(*blocker)
    box.ok("run", "-d", "--name", "later", "--gpu", "A100:1", "--", PYTHON, "main.py")
    (box.work / "main.py").write_text("print('new')")
    box.ok("stop", "blocker")
    box.wait_for("later", "Succeeded")
    assert box.ok("logs", "later") == "old\n"


def test_outputs_are_kept_and_go_with_the_run(box: Box) -> None:
    box.ok("run", "--name", "saver", "--", "sh", "-c", 'echo kept > "$SHOAL_OUT/file"')
    saved = box.home / "runs" / "default" / "saver" / "out" / "file"
    assert saved.read_text() == "kept\n"
    box.ok("delete", "run", "saver")
    box.until(lambda: not saved.parent.parent.exists(), "the folder of the run is gone")


def test_deleting_a_run_removes_all_it_made(box: Box) -> None:
    box.ok("run", "-d", "--name", "all", "--replicas", "2", "--gpu", "1/4", "--", "sleep", "4325")
    box.wait_for("all", "Running")
    box.ok("delete", "run", "all")
    kinds = ("runs", "gangs", "pods", "resourceclaims")
    box.until(lambda: not box.objects(*kinds), "no object of the run is left")
    assert not running("sleep 4325")
    box.until(lambda: not list((box.home / "pods").iterdir()), "no folder of a pod is left")


def test_an_image_never_runs_on_the_host_by_mistake(box: Box) -> None:
    box.ok("run", "-d", "--name", "boxed", "--image", "docker.io/library/alpine", "--", "true")
    sentence = "this machine has no container runtime; use image: host"
    box.until(lambda: sentence in box.ok("ps"), "ps says why it waits")
    assert box.status("boxed")["phase"] == "Queued"


def test_endless_output_is_bounded(box: Box) -> None:
    flood = "yes 0123456789012345678901234567890123456789 | head -c 200000000"
    box.ok("run", "-d", "--name", "flood", "--", "sh", "-c", flood)
    box.wait_for("flood", "Succeeded")
    pods = box.home / "pods"
    kept = sum(f.stat().st_size for f in pods.rglob("*") if f.is_file())
    assert kept < 100 * 1024**2


def test_binary_output_comes_through_unharmed(box: Box) -> None:
    blob = bytes(range(256)) * 10 + b"\n"
    say = f"import sys; sys.stdout.buffer.write({blob!r})"
    done = subprocess.run(
        box.command("run", "--name", "blob", "--", PYTHON, "-c", say),
        cwd=box.work,
        env=box.env,
        capture_output=True,
        check=True,
    )
    assert blob in done.stdout


def running(mark: str) -> list[str]:
    """Processes whose arguments contain a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            try:
                told = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if mark in told and "pytest" not in told:
                found.append(told)
    return found

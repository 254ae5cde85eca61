"""What a box and its programs live through, and what they leave behind."""

import json
import os
import signal
import subprocess
from pathlib import Path

import msgspec
from tests.box.harness import GPUS, Box, make_box

MARK = "sleep 4330"
SAY = "echo a word; exec sleep 600"


def up(box: Box) -> None:
    box.ok("up", "-d", "--port", "0", "--gpus", GPUS)


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_a_killed_agent_comes_back_and_finds_what_runs(own_box: Box) -> None:
    up(own_box)
    once = 'echo started >> "$SHOAL_OUT/starts"; sleep 3; exit 4'
    own_box.ok("run", "-d", "--name", "tough", "--gpu", "1/2", "--", "sh", "-c", once)
    own_box.wait_for("tough", "Running")
    own_box.replace_process("agent")
    assert own_box.wait_for("tough", "Failed", "Succeeded")["failure"]["exitCode"] == 4
    starts = own_box.home / "runs" / "default" / "tough" / "out" / "starts"
    assert starts.read_text() == "started\n", "no program is started twice"


def test_every_process_of_the_box_may_die_while_programs_run(own_box: Box) -> None:
    up(own_box)
    own_box.ok("run", "-d", "--name", "calm", "--gpu", "1/2", "--", "sh", "-c", "sleep 6; exit 4")
    own_box.wait_for("calm", "Running")
    for name in ("loops", "apiserver", "agent"):
        own_box.replace_process(name)
    own_box.until(lambda: own_box.shoal("ps").returncode == 0, "the box answers again")
    assert own_box.wait_for("calm", "Failed")["failure"]["exitCode"] == 4


def test_programs_outlive_the_box_and_are_found_by_the_next(own_box: Box) -> None:
    up(own_box)
    own_box.ok("run", "-d", "--name", "long", "--gpu", "1/2", "--", "sleep", "5")
    own_box.wait_for("long", "Running")
    supervisor = msgspec.json.decode((own_box.home / "box.json").read_bytes())["pid"]
    children = [own_box.pid_of(name) for name in ("apiserver", "loops", "agent")]
    os.kill(supervisor, signal.SIGKILL)
    own_box.until(lambda: not any(map(alive, children)), "nothing goes on without a supervisor")
    up(own_box)
    assert own_box.wait_for("long", "Succeeded", "Failed")["phase"] == "Succeeded"


def test_a_killed_keeper_takes_its_program_with_it(own_box: Box) -> None:
    up(own_box)
    own_box.ok("run", "-d", "--name", "orphan", "--", *MARK.split())
    own_box.wait_for("orphan", "Running")
    keepers = [p for p in own_box.processes() if b"keeper" in _arguments(p)]
    assert len(keepers) == 1
    os.kill(keepers[0], signal.SIGKILL)
    assert "keeper" in own_box.wait_for("orphan", "Failed")["message"]
    programs = [p for p in own_box.processes() if b"4330" in _arguments(p)]
    assert not programs


def test_waiting_work_is_kept_while_the_box_is_down(own_box: Box) -> None:
    up(own_box)
    own_box.ok("run", "-d", "--name", "first", "--gpu", "A100:2", "--", "sleep", "600")
    own_box.wait_for("first", "Running")
    own_box.ok("run", "-d", "--name", "second", "--gpu", "A100:2", "--", "true")
    own_box.ok("down", "--kill")
    assert not own_box.processes()
    up(own_box)
    assert own_box.status("first")["phase"] == "Stopped"
    own_box.wait_for("second", "Succeeded")


BARE = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "bare"},
    "spec": {"containers": [{"name": "main", "image": "host", "command": ["sh", "-c", SAY]}]},
}


def test_what_kill_stops_stays_listed_with_its_logs(own_box: Box) -> None:
    up(own_box)
    own_box.ok("run", "-d", "--name", "mine", "--", "sh", "-c", SAY)
    (own_box.work / "bare.json").write_text(json.dumps(BARE))
    own_box.kubectl("apply", "-f", str(own_box.work / "bare.json"))
    pods = ("bare", "mine-0")
    own_box.until(
        lambda: [p["status"]["phase"] for p in own_box.objects("pods")] == ["Running"] * 2,
        "both run",
    )
    own_box.until(lambda: all(own_box.kubectl("logs", pod) for pod in pods), "both said a word")
    own_box.ok("down", "--kill")
    assert not own_box.processes()
    up(own_box)
    assert own_box.status("mine")["phase"] == "Stopped"
    assert {own_box.kubectl("logs", pod) for pod in pods} == {"a word\n"}
    (bare,) = (pod for pod in own_box.objects("pods") if pod["metadata"]["name"] == "bare")
    told = [bare["status"][field] for field in ("phase", "reason", "message")]
    assert told == ["Failed", "Stopped", "stopped by shoal down --kill"]


def test_what_ran_when_a_backup_was_made_is_lost_in_the_box_restored(
    own_box: Box, tmp_path: Path
) -> None:
    up(own_box)
    sleep = ("--gpu", "A100:1", "--", "sleep", "600")
    own_box.ok("run", "-d", "--name", "once", *sleep)
    own_box.ok("run", "-d", "--name", "again", "--retry", "1", *sleep)
    own_box.wait_for("once", "Running")
    own_box.wait_for("again", "Running")
    own_box.ok("backup", str(tmp_path / "copy"))
    own_box.ok("down", "--kill")
    (tmp_path / "second").mkdir()
    second = make_box(tmp_path / "second")
    second.ok("restore", str(tmp_path / "copy"))
    second.ok("up", "-d", "--port", "0", "--gpus", "sim:1xA100-80GB", "--node-name", "other")
    try:
        assert "restored from a backup" in second.wait_for("once", "Failed")["message"]
        again = second.wait_for("again", "Failed")
        assert (again["restarts"], again["replicas"][0]["node"]) == (1, "other")
        assert "snapshot" in again["message"], "a backup holds no code"
        assert "1 card (" in second.ok("status")
        assert [node["metadata"]["name"] for node in second.objects("nodes")] == ["other"]
    finally:
        second.ok("down", "--kill")


def test_drain_waits_for_what_runs(own_box: Box) -> None:
    up(own_box)
    own_box.ok("run", "-d", "--name", "short", "--", "sleep", "5")
    own_box.wait_for("short", "Running")
    own_box.ok("down", "--drain")
    up(own_box)
    assert own_box.wait_for("short", "Succeeded")["phase"] == "Succeeded"


def test_a_damaged_store_is_refused_and_left_alone(own_box: Box) -> None:
    up(own_box)
    own_box.ok("down")
    store = own_box.home / "store.db"
    damaged = b"not a database" * 1000
    store.write_bytes(damaged)
    for extra in own_box.home.glob("store.db-*"):
        extra.unlink()
    assert "store.db" in own_box.refused("up", "-d", "--port", "0")
    assert store.read_bytes() == damaged


def _arguments(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_an_interrupted_drain_leaves_the_box_open(own_box: Box) -> None:
    up(own_box)
    own_box.ok("run", "-d", "--name", "busy", "--", "sleep", "600")
    own_box.wait_for("busy", "Running")
    command = own_box.command("down", "--drain")
    with subprocess.Popen(command, env=own_box.env, stdout=subprocess.PIPE) as drain:
        assert drain.stdout is not None
        assert drain.stdout.readline() == b"waiting for the end of busy\n"
        assert "nothing new starts" in own_box.ok("status")
        drain.send_signal(signal.SIGINT)
    assert drain.returncode == 130
    assert "nothing new starts" not in own_box.ok("status")
    own_box.ok("run", "--name", "next", "--", "true")


def test_where_no_box_runs_every_command_says_so_alike(own_box: Box) -> None:
    for verb in ("status", "down", "ps"):
        done = own_box.shoal(verb)
        assert done.returncode == 1
        assert "Start one: shoal up" in done.stderr

"""Bad input gets one sentence with a right example, exit 2, and changes nothing."""

import os
import signal
from typing import Final

import pytest
from tests.box.harness import Box

SOON: Final = 20
"""Seconds within which a command says that nobody answers, with room for a slow machine."""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "--gpu", "1.5", "--", "true"), ("1.5", "at most 1", "2x0.75")),
        (("run", "--gpu", "many", "--", "true"), ("many", "1/2")),
        (("run", "--memory", "lots", "--", "true"), ("lots", "32Gi")),
        (("run", "--time", "soon", "--", "true"), ("soon", "30m")),
        (("run", "--replicas", "0", "--", "true"), ("replicas", "1")),
        (("run", "--name", "Not_A_Name", "--", "true"), ("Not_A_Name",)),
        (("run", "--gpu", "4", "--", "true"), ("4 whole cards", "3")),
        (("run", "--gpu", "H100:1", "--", "true"), ("H100", "A100-80GB", "T4")),
        (("run", "--gpu", "100Gi", "--", "true"), ("100 GiB", "80 GiB")),
        (("run",), ("nothing to run", "python train.py")),
        (("runn", "--", "true"), ("runn", "run")),
        (("logs", "nobody"), ("nobody",)),
        (("stop", "nobody"), ("nobody",)),
        (("why", "nobody"), ("nobody",)),
        (("ps", "-o", "xml"), ("xml", "json")),
    ],
)
def test_a_wrong_word_is_refused(box: Box, arguments: tuple[str, ...], words: tuple[str]) -> None:
    sentence = box.refused(*arguments)
    for word in words:
        assert word in sentence
    assert box.objects("runs") == []


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gpus: A100:1/2", ("line 5", "spec.gpus is not a field", "gpu")),
        ("deadline: 2027-01-01T00:00:00Z", ("spec.deadline is not supported yet",)),
        ("replicas: two", ("spec.replicas",)),
        ("replicas: 2..4", ("spec.replicas",)),
    ],
)
def test_a_wrong_run_file_is_refused_by_line(box: Box, spec: str, words: tuple[str, ...]) -> None:
    text = f"kind: Run\nmetadata: {{name: bad}}\nspec:\n  run: 'true'\n  {spec}\n"
    (box.work / "run.yaml").write_text(text)
    sentence = box.refused("run", "-f", "run.yaml")
    for word in words:
        assert word in sentence
    assert box.objects("runs") == []


def test_more_than_the_box_waits_when_told_to(box: Box) -> None:
    box.ok("run", "-d", "--name", "huge", "--gpu", "4", "--wait-for-nodes", "--", "true")
    box.until(lambda: "4 whole cards" in box.ok("ps"), "ps says what it waits for")


def test_plan_changes_nothing(box: Box) -> None:
    told = box.ok("plan", "--gpu", "A100:1/2", "--", "true")
    assert "would start now" in told
    assert "not enforced yet" in told
    assert box.objects("runs", "pods", "resourceclaims") == []


def test_a_second_up_on_the_same_home_is_told_so(box: Box) -> None:
    assert "runs on" in box.refused("up", "-d", "--port", "0")
    box.ok("status")


def test_a_process_that_somebody_stopped_is_told_with_the_way_out(box: Box) -> None:
    server = box.pid_of("apiserver")
    way_out = f"stopped; let it go on: kill -CONT {server}"
    os.kill(server, signal.SIGSTOP)
    try:
        asked = box.shoal("ps", timeout=SOON)
        looked = box.shoal("status", timeout=SOON)
    finally:
        os.kill(server, signal.SIGCONT)
    told = f"shoal: the box is up and its API server (pid {server}) is {way_out}\n"
    assert (asked.returncode, asked.stderr) == (1, told)
    line = next(line for line in looked.stdout.splitlines() if "apiserver" in line)
    assert line.endswith(way_out)
    assert looked.returncode == 1
    assert "stopped" not in box.ok("status")


def test_a_taken_port_is_told_so(box: Box, own_box: Box) -> None:
    port = box.ok("status").split("127.0.0.1:")[1].split()[0]
    assert port in own_box.refused("up", "-d", "--port", port)


def test_down_asks_when_work_runs(box: Box) -> None:
    box.ok("run", "-d", "--name", "busy", "--", "sleep", "600")
    box.wait_for("busy", "Running")
    sentence = box.refused("down")
    assert "--drain" in sentence
    assert "--kill" in sentence
    assert box.status("busy")["phase"] == "Running"

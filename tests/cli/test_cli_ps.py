"""``ps`` says in words what each run waits for or ended with."""

import json
import os
import pty

import pytest

QUEUED = {"phase": "Queued", "message": "waits in the words of its status"}


def rows(out: str) -> list[list[str]]:
    return [line.split("\t") for line in out.splitlines()]


@pytest.fixture
def four(box) -> None:
    box.run("digits", gpu="1/2")
    box.run("ring", gpu="1/4", replicas=2)
    box.run("big", gpu="2")
    box.run("oops", gpu="1/4")
    places = [{"rank": 0, "pod": "digits-0", "node": "box1", "cards": ["gpu-0"]}]
    began = "2026-01-01T00:00:00Z"
    box.status("digits", phase="Running", replicas=places, startedAt=began)
    both = [
        {"rank": n, "pod": f"ring-{n}", "node": "box1", "cards": [f"gpu-{n}"]} for n in range(2)
    ]
    box.status("ring", phase="Running", replicas=both, startedAt=began)
    box.status("big", **QUEUED)
    box.status(
        "oops",
        phase="Failed",
        message="replica 0 exited with 7",
        startedAt=began,
        finishedAt="2026-01-01T00:00:02Z",
    )


def test_off_a_terminal_it_is_tsv_with_every_column(box, four) -> None:
    got = rows(box.shoal("ps").out)
    assert got[0] == ["NAME", "PHASE", "GPU", "WHERE", "TIME", "WAITS FOR / ENDED WITH"]
    told = {row[0]: row[1:] for row in got[1:]}
    assert told["digits"][:3] == ["running", "1/2", "box1:0"]
    assert told["ring"][:3] == ["running", "2 × 1/4", "box1:0,1"]
    assert told["oops"] == ["failed", "1/4", "-", "2s", "replica 0 exited with 7"]
    assert told["big"][:3] == ["queued", "2", "-"]


def test_a_wait_is_told_in_the_schedulers_words_of_now(box, four) -> None:
    words = "2 whole cards; 1 free · ring holds 1/4 of card 1, ends by 14:40"
    line = {"key": f"{box.namespace}/big-0", "owner": "big", "message": words}
    other = {"key": "elsewhere/oops", "owner": "oops", "message": "not ours"}
    box.scheduler.answers["/explain"] = {"items": [line, other]}
    told = {row[0]: row[-1] for row in rows(box.shoal("ps").out)}
    assert told["big"] == words
    assert told["oops"] == "replica 0 exited with 7"


def test_without_a_scheduler_the_runs_own_words_do(box, four) -> None:
    told = {row[0]: row[-1] for row in rows(box.shoal("ps").out)}
    assert told["big"] == "waits in the words of its status"


def test_the_scheduler_is_asked_once_however_many_wait(box) -> None:
    for n in range(5):
        box.run(f"wait-{n}")
    box.scheduler.answers["/explain"] = {"items": []}
    box.shoal("ps")
    assert [path for path, _ in box.scheduler.asked] == ["/explain"]


def test_nobody_is_asked_when_nothing_waits(box, four) -> None:
    box.status("big", phase="Stopped")
    box.shoal("ps")
    assert box.scheduler.asked == []


def test_lists_are_kubernetes_lists(box, four) -> None:
    got = json.loads(box.shoal("ps", "-o", "json").out)
    assert (got["apiVersion"], got["kind"]) == ("v1", "List")
    assert {item["metadata"]["name"] for item in got["items"]} == {"digits", "ring", "big", "oops"}
    assert {item["kind"] for item in got["items"]} == {"Run"}
    assert box.shoal("ps", "-o", "yaml").out.startswith("apiVersion: v1\nkind: List\n")


def test_names_are_as_kubectl_writes_them(box, four) -> None:
    names = box.shoal("ps", "-o", "name").out.split()
    assert set(names) == {f"run.shoal.dev/{name}" for name in ("digits", "ring", "big", "oops")}


def test_wide_tells_more(box, four) -> None:
    header, *got = rows(box.shoal("ps", "-o", "wide").out)
    assert {"QUEUE", "PRIORITY", "RESTARTS", "COMMAND"} < set(header)
    assert {row[header.index("COMMAND")] for row in got} == {"true"}


def test_wide_ends_with_the_command_and_bounds_it(box) -> None:
    box.run("long", run="python " + "x" * 10 + " y" * 100)
    header, row = rows(box.shoal("ps", "-o", "wide").out)
    assert header[-1] == "COMMAND"
    assert len(row[-1]) <= 40
    assert row[-1].startswith("python xxxxxxxxxx y y")
    assert row[-1].endswith("…")


def test_rows_fit_the_terminal(box, four) -> None:
    box.status("big", phase="Queued", message="2 whole cards; 1 free · " + "ring holds it " * 10)
    lines = on_a_terminal(box, "ps", COLUMNS="80", NO_COLOR="1").splitlines()
    assert max(map(len, lines)) <= 80
    assert next(line for line in lines if line.startswith("big")).endswith("…")


def test_what_is_being_stopped_says_since_when_and_until_when(box, four) -> None:
    since = {"type": "Stopping", "status": "True", "lastTransitionTime": "2099-01-01T00:00:00Z"}
    box.status("digits", message="stopping", conditions=[since])
    told = {row[0]: row[-1] for row in rows(box.shoal("ps").out)}["digits"]
    assert told.startswith("stopping · asked 0 s ago · killed at ")
    assert told.endswith(":30 at the latest")


def on_a_terminal(box, *arguments: str, **env: str) -> str:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    process = box.start(*arguments, stdout=theirs, env=env)
    os.close(theirs)
    written = b""
    while True:
        try:
            written += os.read(ours, 65536)
        except OSError:
            break
    os.close(ours)
    assert process.wait(30) == 0
    return written.decode().replace("\r\n", "\n")


def test_on_a_terminal_columns_are_aligned_and_failure_is_red(box, four) -> None:
    lines = on_a_terminal(box, "ps").splitlines()
    assert len({line.replace("\x1b[31m", "").find("WHERE") for line in lines[:1]}) == 1
    failed = next(line for line in lines if line.startswith("oops"))
    assert "\x1b[31mfailed\x1b[0m" in failed
    waits = next(line for line in lines if line.startswith("big"))
    assert "\x1b[33mqueued\x1b[0m" in waits
    plain = on_a_terminal(box, "ps", NO_COLOR="1").splitlines()
    assert "\x1b" not in "".join(plain)
    at = plain[0].index("GPU")
    assert {line[at - 2 : at] for line in plain} == {"  "}


def test_columns_that_are_empty_for_everybody_are_left_out_on_a_terminal(box) -> None:
    box.run("plain")
    header = on_a_terminal(box, "ps", NO_COLOR="1").splitlines()[0]
    assert header.split() == ["NAME", "PHASE", "TIME"]


def test_an_empty_box_says_how_to_start(box) -> None:
    assert "shoal run --gpu 1/2" in on_a_terminal(box, "ps")

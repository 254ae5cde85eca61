"""``why``, ``plan`` and ``top`` say what the scheduler knows, in words."""

import pytest

QUARTER = {"milli": 250}
RING = {"owner": "ring", "memoryMib": 20480, "milli": 250, "share": QUARTER}
DIGITS = {"owner": "digits", "memoryMib": 40960, "milli": 500, "share": {"milli": 500}}


def card(name: str, model: str, *holders: dict, **more) -> dict:
    held = sum(holder["milli"] for holder in holders)
    memory = sum(holder["memoryMib"] for holder in holders)
    return {
        "node": "box1", "card": name, "model": model, "memoryMib": 81920,
        "memoryFreeMib": 81920 - memory, "milliFree": 1000 - held, "holders": list(holders),
    } | more  # fmt: skip


@pytest.fixture
def cards() -> list[dict]:
    return [
        card("gpu-0", "A100-80GB", DIGITS, RING, RING, simulated=True),
        card("gpu-1", "A100-80GB", RING | {"endsAt": 1_900_000_000_000}, simulated=True),
        card("gpu-2", "T4"),
    ]


def test_why_shows_the_reason_the_cards_and_what_would_be_sooner(box, cards) -> None:
    box.run("big", gpu="2")
    both = [["box1", "gpu-1"], ["box1", "gpu-2"]]
    box.scheduler.answers[f"/explain/{box.namespace}/big"] = {
        "key": "k", "owner": "big", "turn": 2, "cards": cards,
        "reason": {
            "code": "CardsBusy", "resource": "cards", "asked": 2, "best": 1, "total": 3,
            "share": {"count": 2, "milli": 1000},
        },
        "forecast": {"startBy": 1_900_000_000_000, "owner": "ring"},
        "sooner": [{"share": {"count": 2, "milli": 500}, "cards": both}],
    }  # fmt: skip
    lines = box.shoal("why", "big").out.splitlines()
    assert lines[0] == "big waits: 2 whole cards; 1 free."
    assert lines[1].split() == ["CARD", "MODEL", "FREE", "HELD", "BY"]
    assert lines[2].split("  ")[-1] == "digits 1/2 · ring 1/4 · ring 1/4"
    assert "A100-80GB SIMULATED" in lines[2]
    assert "3/4" in lines[3]
    assert "ends by " in lines[3]
    assert lines[4].split() == ["2", "T4", "whole"]
    assert lines[5] == "It has place 2 in the line."
    assert lines[6].startswith("It starts when ring ends, ")
    assert lines[7].startswith("Sooner: 2x1/2 would start now on cards 1 and 2")


def test_why_of_a_run_that_waits_for_nothing_says_where_it_is(box) -> None:
    box.run("digits")
    places = [{"rank": 0, "pod": "digits-0", "node": "box1", "cards": ["gpu-0"]}]
    box.status("digits", phase="Running", replicas=places, startedAt="2026-01-01T00:00:00Z")
    out = box.shoal("why", "digits").out
    assert out.startswith("digits waits for nothing: it is running on box1:0 for ")


def test_why_of_a_run_that_ended_says_why_it_ended(box) -> None:
    box.run("oops")
    box.pod("oops")
    box.agent.logs["oops-0"] = b"ValueError: no\n"
    failure = {"rank": 0, "pod": "oops-0", "exitCode": 7}
    message = "replica 0 exited with 7"
    box.status("oops", phase="Failed", message=message, failure=failure)
    out = box.shoal("why", "oops").out
    assert f"✘ oops failed after 0 s: {message}\n  │ ValueError: no\n" in out
    assert "again: shoal rerun oops" in out


def test_why_without_a_scheduler_tells_what_the_run_says(box) -> None:
    box.run("big")
    box.status("big", phase="Queued", message="2 whole cards; 1 free")
    assert box.shoal("why", "big").out == "big waits: 2 whole cards; 1 free\n"


@pytest.mark.parametrize("what", ["pod/ring-0", "gang/ring"])
def test_why_takes_pods_and_gangs(box, cards, what: str) -> None:
    kind, _, name = what.partition("/")
    {"gang": box.gang, "pod": box.waiting_pod}[kind](name)
    box.scheduler.answers[f"/explain/{box.namespace}/{name}"] = {
        "key": "k", "owner": "ring", "turn": 1, "cards": cards,
        "reason": {
            "code": "CardsBusy", "resource": "cards", "asked": 2, "best": 1, "total": 3,
            "share": {"count": 2, "milli": 1000},
        },
    }  # fmt: skip
    lines = box.shoal("why", what).out.splitlines()
    assert lines[0] == "ring waits: 2 whole cards; 1 free."
    assert lines[2].endswith("digits 1/2 · ring 1/4 · ring 1/4")


def test_why_of_a_pod_that_runs_says_where(box) -> None:
    box.run("digits")
    box.pod("digits")
    out = box.shoal("why", "pod/digits-0").out
    assert out == "digits-0 waits for nothing: it is running on box1\n"


def test_plan_says_where_it_would_start_and_that_nothing_was_changed(box) -> None:
    planned = {
        "card": "gpu-1", "model": "A100-80GB", "memoryMib": 40960, "milli": 500,
        "memoryLeftMib": 20480, "milliLeft": 250,
    }  # fmt: skip
    member = {"name": "train-0", "node": "box1", "cards": [planned]}
    box.scheduler.answers["/plan"] = {"verdict": "now", "members": [member]}
    got = box.shoal("plan", "--gpu", "A100:1/2", "--", "python", "train.py")
    assert got.out.splitlines() == [
        "would start now on box1 card 1: 40 GiB and 500 of 1000 compute; left there: 20 GiB, 250",
        "memory limit: not enforced yet (accounted only)",
        "nothing was changed",
    ]
    (path, asked), = box.scheduler.asked  # fmt: skip
    assert path == "/plan"
    assert (asked["spec"]["gpu"], asked["metadata"]["namespace"]) == ("A100:1/2", box.namespace)
    assert box.shoal("ps", "-o", "name").out == ""
    assert not (box.home / "store").exists()


def test_plan_refuses_what_run_refuses_in_the_same_words(box) -> None:
    reason = {
        "code": "TooLarge", "resource": "cards", "asked": 4, "best": 3, "total": 3,
        "share": {"milli": 1000, "count": 4}, "models": ["2 × A100-80GB", "1 × T4"],
    }  # fmt: skip
    box.scheduler.answers["/plan"] = {"verdict": "never", "reason": reason}
    box.run("taken")
    for asked in (["--gpu", "4"], ["--gpu", "9z"], ["--queue", "B_Q"], ["--name", "taken"]):
        planned = box.shoal("plan", *asked, "--", "true")
        assert (planned.code, planned.out) == (2, "")
        assert planned.err == box.shoal("run", *asked, "--", "true").err
    assert "With --wait-for-nodes it would wait for more." in box.shoal("plan", "--gpu", "4").err
    assert box.shoal("plan", "--gpu", "4", "-d", "--wait-for-nodes").out.splitlines() == [
        "would wait for more nodes: 4 whole cards asked, this box has 3 (2 × A100-80GB, 1 × T4)",
        "memory limit: not enforced yet (accounted only)",
        "nothing was changed",
    ]


def test_plan_without_a_scheduler_says_so(box) -> None:
    got = box.shoal("plan", "--gpu", "1")
    assert (got.code, got.err) == (
        1,
        "shoal: the scheduler does not answer; look at the box: shoal status\n",
    )


def test_top_draws_a_bar_for_each_card(box, cards) -> None:
    node = {
        "name": "box1", "cpuMilli": 8000, "cpuFreeMilli": 6000, "memoryMib": 65536,
        "memoryFreeMib": 65536, "cards": cards,
    }  # fmt: skip
    box.scheduler.answers["/board"] = {"nodes": [node], "waiting": 1}
    box.scheduler.answers["/explain"] = {
        "items": [{"key": f"{box.namespace}/big-0", "owner": "big", "message": "m"}]
    }
    box.run("big", gpu="2")
    lines = box.shoal("top", "--once").out.splitlines()
    assert lines[0] == "box1   8 cpu 25 % held · 64 GiB 0 % held · 3 cards, SIMULATED"
    assert lines[1].startswith(
        " 0 A100-80GB  " + "█" * 30 + "  digits 1/2 40 GiB · ring 2 × 1/4 40 GiB"
    )
    assert lines[2].split("  ")[1] == "█" * 7 + "▌" + "░" * 22
    assert lines[2].endswith("ring 1/4 20 GiB · free 3/4")
    assert lines[3].endswith("  " + "░" * 30 + "  free")
    assert lines[4] == "memory limit not enforced yet"
    assert lines[5] == "queue default: 0 running, 1 waiting"


def test_signs_have_plain_twins_where_the_encoding_lacks_them(box, cards) -> None:
    node = {"name": "box1", "cpuMilli": 8000, "cpuFreeMilli": 8000, "memoryMib": 1,
            "memoryFreeMib": 1, "cards": cards}  # fmt: skip
    box.scheduler.answers["/board"] = {"nodes": [node]}
    out = box.shoal("top", "--once", env={"PYTHONIOENCODING": "ascii"}).out
    assert "#" * 7 in out
    assert out.isascii()
    assert "?" not in out

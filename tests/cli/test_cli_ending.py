"""The last words of a run claim what happened, and point only to what there is."""

BEGAN, ENDED = "2026-01-01T00:00:00Z", "2026-01-01T00:00:02Z"


def placed(status: str, since: str) -> dict[str, str]:
    return {"type": "Placed", "status": status, "lastTransitionTime": since}


def test_one_that_never_started_was_stopped_while_it_waited(box) -> None:
    box.run("big")
    waited = [placed("False", BEGAN)]
    box.status("big", phase="Stopped", finishedAt="2026-01-01T00:00:20Z", conditions=waited)
    assert box.shoal("why", "big").out == (
        "■ big was stopped while queued, after 20 s of waiting\n  again: shoal rerun big\n"
    )


def test_one_that_had_its_place_was_stopped_before_it_had_started(box) -> None:
    box.run("big")
    box.status("big", phase="Stopped", finishedAt=ENDED, conditions=[placed("True", BEGAN)])
    assert box.shoal("why", "big").out.startswith("■ big was stopped before it had started\n")


def test_a_signal_has_its_name_and_silence_has_no_logs(box) -> None:
    box.run("crash")
    box.agent.logs["crash-0"] = b""
    box.pod("crash", phase="Failed")
    message = "replica 0 was killed by signal 11 (segmentation fault)"
    failure = {"pod": "crash-0", "signal": 11, "message": message}
    times = {"startedAt": BEGAN, "finishedAt": ENDED}
    box.status("crash", phase="Failed", message=message, failure=failure, **times)
    assert box.shoal("why", "crash").out == (
        f"✘ crash failed after 2 s: {message}\n  again: shoal rerun crash\n"
    )
    assert f"{message}" in box.shoal("ps").out


def test_a_run_that_printed_points_to_all_of_it(box) -> None:
    box.run("slow")
    box.agent.logs["slow-0"] = b"epoch 1\n"
    box.pod("slow", phase="Failed")
    places = [{"rank": 0, "pod": "slow-0", "node": "box1"}]
    times = {"startedAt": BEGAN, "finishedAt": "2026-01-01T00:00:01.980Z"}
    box.status("slow", phase="TimedOut", message="time limit 2s", replicas=places, **times)
    assert box.shoal("why", "slow").out == (
        "✘ slow timed out after 2 s: time limit 2s\n"
        "  all of it: shoal logs slow · again: shoal rerun slow\n"
    )


def test_logs_of_a_program_that_never_started_say_why_themselves(box) -> None:
    box.run("oops")
    box.pod("oops", phase="Failed")
    message = "trian.py: command not found"
    failure = {"pod": "oops-0", "reason": "StartError", "message": message}
    box.status("oops", phase="Failed", message=message, failure=failure)
    got = box.shoal("logs", "oops")
    assert (got.code, got.err) == (1, f"shoal: oops has printed nothing: {message}\n")
    assert "shoal logs" not in box.shoal("why", "oops").out

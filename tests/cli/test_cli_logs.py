"""``logs`` shows what replicas printed."""

import pytest

from shoal.cli.attached.streams import ROTATED


@pytest.fixture
def ring(box):
    """A run of two replicas, both of which have printed three lines."""
    box.run("ring", replicas=2)
    for rank in range(2):
        box.agent.logs[f"ring-{rank}"] = b"".join(b"%d.%d\n" % (rank, n) for n in range(3))
        box.pod("ring", rank)
    return box


def test_all_replicas_in_the_order_of_their_ranks(ring) -> None:
    out = ring.shoal("logs", "ring").out
    assert out.splitlines() == [f"[{r}] {r}.{n}" for r in range(2) for n in range(3)]


def test_one_replica_is_untouched(ring) -> None:
    assert ring.shoal("logs", "ring", "--rank", "1").out == "1.0\n1.1\n1.2\n"


def test_the_last_lines_alone(ring) -> None:
    assert ring.shoal("logs", "ring", "--rank", "0", "--tail", "1").out == "0.2\n"


def test_following_goes_on_until_all_have_ended(ring, wait_until) -> None:
    ring.agent.open |= {"ring-0", "ring-1"}
    process = ring.start("logs", "-f", "ring")
    assert process.stdout.readline() in (b"[0] 0.0\n", b"[1] 1.0\n")
    ring.agent.logs["ring-1"] += b"late\n"
    ring.agent.open.clear()
    for rank in range(2):
        ring.pod_status(f"ring-{rank}", "Succeeded")
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert b"[1] late\n" in out


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--rank", "5"], 2, "ring has no replica 5; it has 0 to 1"),
        (["--attempt", "3"], 2, "ring has no attempt 3; it has 0 to 0"),
    ],
)
def test_what_is_not_there_is_told(ring, arguments, code, sentence) -> None:
    got = ring.shoal("logs", "ring", *arguments)
    assert (got.code, got.out, got.err) == (code, "", f"shoal: {sentence}\n")


def test_a_run_that_has_not_started_has_printed_nothing(box) -> None:
    box.run("big")
    got = box.shoal("logs", "big")
    assert got.code == 1
    assert got.err == "shoal: big has printed nothing: it is queued. Why: shoal why big\n"


def one(box) -> None:
    """A run of one replica that goes on and has printed a line."""
    box.run("digits")
    box.agent.logs["digits-0"] = b"epoch 1\nepo"
    box.agent.open.add("digits-0")
    box.pod("digits")


def finish(box, process) -> tuple[int, bytes, bytes]:
    box.pod_status("digits-0", "Succeeded")
    box.agent.open.clear()
    # Not communicate(): it would miss what readline() has read ahead.
    out, err = process.stdout.read(), process.stderr.read()
    return process.wait(30), out, err


@pytest.mark.parametrize("tail", [[], ["--tail", "5"]])
def test_a_stream_that_ends_before_the_program_goes_on_where_it_was(box, wait_until, tail) -> None:
    one(box)
    process = box.start("logs", "-f", "digits", *tail)
    assert process.stdout.readline() == b"epoch 1\n"
    for n in range(3):
        box.agent.open.clear()
        asked = len(box.agent.asked)
        wait_until(lambda asked=asked: len(box.agent.asked) > asked)
        box.agent.open.add("digits-0")
        box.agent.logs["digits-0"] += b"ch %d\nepo" % (n + 2)
    code, out, err = finish(box, process)
    assert (code, out, err) == (0, b"epoch 2\nepoch 3\nepoch 4\nepo", b"")


def test_a_log_that_was_rotated_meanwhile_goes_on_after_what_was_copied_last(box) -> None:
    one(box)
    box.agent.logs["digits-0"] = b"old\n" * 2000 + b"last\n"
    process = box.start("logs", "-f", "digits")
    assert [process.stdout.readline() for _ in range(2001)][-1] == b"last\n"
    box.agent.logs["digits-0"] = b"old\n" * 1500 + b"last\nnew\n"
    box.agent.open.clear()
    assert finish(box, process) == (0, b"new\n", b"")


def test_what_was_rotated_away_is_told_and_the_rest_is_shown(box) -> None:
    one(box)
    process = box.start("logs", "-f", "digits")
    assert process.stdout.readline() == b"epoch 1\n"
    box.agent.logs["digits-0"] = b"new\n"
    box.agent.open.clear()
    code, out, err = finish(box, process)
    assert (code, out) == (0, b"eponew\n")
    assert err.decode() == f"{ROTATED}\n"


def test_a_log_that_cannot_be_gone_on_with_is_told_and_fails(box) -> None:
    one(box)
    process = box.start("logs", "-f", "digits")
    assert process.stdout.readline() == b"epoch 1\n"
    del box.agent.logs["digits-0"]
    box.agent.open.clear()
    code, _, err = finish(box, process)
    assert (code, err.decode()) == (1, "shoal: the log of digits ends here: no log yet\n")

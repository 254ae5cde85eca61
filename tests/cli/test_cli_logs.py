"""``logs`` shows what replicas printed."""

import pytest


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

"""Whole trees end: no orphan outlives its keeper's word."""

import os
import signal
import time
from pathlib import Path

import pytest

from shoal.agent.record import RecordState
from shoal.agent.signals import send_number

LOOP = "echo up; while :; do sleep 0.05; done"
STUBBORN = f"trap '' TERM; {LOOP}"


def processes_with(marker: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if marker.encode() in environment:
            found.append(int(folder.name))
    return found


def wait_for(kept, text: bytes) -> None:
    deadline = time.monotonic() + 60
    while text not in kept.output():
        assert time.monotonic() < deadline, f"waited 60 s for {text!r}"
        time.sleep(0.01)


def test_a_child_that_outlives_its_parent_is_killed(keep, tmp_path):
    marker = f"MARK={tmp_path}"
    kept = keep("env", marker, "sh", "-c", "sleep 1000 & exit 4")
    assert kept.ended().exit_code == 4
    assert processes_with(marker) == []


def test_a_double_fork_into_a_new_session_is_killed(keep, tmp_path):
    marker = f"MARK={tmp_path}"
    escape = "(setsid sh -c 'trap \"\" TERM HUP; sleep 1000 & wait' & ); sleep 0.2; exit 0"
    kept = keep("env", marker, "sh", "-c", escape)
    assert kept.ended().exit_code == 0
    assert processes_with(marker) == []


def test_term_reaches_every_process_of_the_tree(keep):
    child = "trap 'echo child; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    parent = "trap 'wait; echo parent; exit 3' TERM; sh -c \"$0\" & wait"
    kept = keep("sh", "-c", parent, child, grace=60)
    wait_for(kept, b"up")
    kept.process.send_signal(signal.SIGTERM)
    record = kept.ended()
    assert (record.exit_code, record.stop_asked) == (3, True)
    assert set(kept.output().split()) == {b"up", b"child", b"parent"}


def test_children_of_a_stopped_program_have_the_rest_of_the_grace(keep):
    child = "trap 'sleep 0.3; echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    kept = keep("sh", "-c", "trap 'exit 5' TERM; sh -c \"$0\" & wait", child, grace=60)
    wait_for(kept, b"up")
    kept.process.send_signal(signal.SIGTERM)
    assert kept.ended().exit_code == 5
    assert b"saved" in kept.output()


def test_what_ignores_term_is_killed_after_the_grace(keep):
    kept = keep("sh", "-c", STUBBORN, grace=1)
    wait_for(kept, b"up")
    kept.process.send_signal(signal.SIGTERM)
    record = kept.ended()
    assert (record.signal, record.stop_asked) == (signal.SIGKILL, True)


def grant(kept, milliseconds):
    """Ask to stop with a grace of its own."""
    pidfd = os.pidfd_open(kept.process.pid)
    send_number(pidfd, signal.SIGTERM, milliseconds)
    os.close(pidfd)


def test_a_stop_may_grant_less_than_the_grace_of_the_start(keep):
    kept = keep("sh", "-c", STUBBORN, grace=10000)
    wait_for(kept, b"up")
    grant(kept, 100)
    record = kept.ended()
    assert (record.signal, record.stop_asked) == (signal.SIGKILL, True)


def test_a_stop_may_grant_more_than_the_grace_of_the_start(keep):
    gentle = f"trap 'sleep 0.3; echo saved; exit 0' TERM; {LOOP}"
    kept = keep("sh", "-c", gentle, grace=0)
    wait_for(kept, b"up")
    grant(kept, 60_000)
    assert kept.ended().exit_code == 0
    assert b"saved" in kept.output()


@pytest.mark.parametrize("graces", [(10**9, 100), (3000, 10**9), (2**63 - 1, 0), (2**64 - 1, 0)])
def test_of_several_stops_the_soonest_end_counts(keep, graces):
    kept = keep("sh", "-c", f"trap 'echo heard' TERM; {LOOP}", grace=10000)
    wait_for(kept, b"up")
    grant(kept, graces[0])
    wait_for(kept, b"heard")
    grant(kept, graces[1])
    assert kept.ended().signal == signal.SIGKILL
    assert kept.output().split().count(b"heard") == 1


def test_usr1_kills_at_once(keep):
    kept = keep("sh", "-c", STUBBORN, grace=10000)
    wait_for(kept, b"up")
    kept.process.send_signal(signal.SIGUSR1)
    record = kept.ended()
    assert (record.signal, record.state) == (signal.SIGKILL, RecordState.EXITED)


def test_a_tree_that_keeps_forking_is_killed(keep, tmp_path):
    marker = f"MARK={tmp_path}"
    forever = "echo up; while :; do (sleep 0.01; sleep 1000) & sleep 0.01; done"
    kept = keep("env", marker, "sh", "-c", forever)
    wait_for(kept, b"up")
    kept.process.send_signal(signal.SIGUSR1)
    assert kept.ended().signal == signal.SIGKILL
    assert processes_with(marker) == []


def test_hangup_and_interrupt_are_not_for_the_keeper(keep):
    kept = keep("sh", "-c", "echo up; sleep 0.3; exit 6")
    wait_for(kept, b"up")
    kept.process.send_signal(signal.SIGHUP)
    kept.process.send_signal(signal.SIGINT)
    assert kept.ended().exit_code == 6

"""How programs end under a keeper, and what the record says."""

import errno
import signal
import subprocess
import time
from pathlib import Path

import pytest

from shoal.agent.record import RecordState, Stage


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_the_exit_code_is_recorded(keep, code):
    record = keep("sh", "-c", f"exit {code}").ended()
    assert (record.state, record.exit_code, record.signal) == (RecordState.EXITED, code, 0)
    assert not record.stop_asked
    assert 0 < record.started_ns <= record.ended_ns


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_signal_is_told_from_an_exit_code(keep, number):
    record = keep("sh", "-c", f"kill -{number.value} $$").ended()
    assert (record.exit_code, record.signal) == (128 + number, number)


def test_a_command_that_is_not_there(keep):
    record = keep("no-such-command-at-all").ended()
    assert (record.state, record.stage) == (RecordState.START_FAILED, Stage.EXEC)
    assert record.error == errno.ENOENT


def test_a_file_that_is_not_executable(keep, tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    record = keep(str(script)).ended()
    assert (record.stage, record.error) == (Stage.EXEC, errno.EACCES)


def test_a_working_folder_that_is_gone(keep, tmp_path):
    record = keep("true", dir=tmp_path / "gone").ended()
    assert (record.stage, record.error) == (Stage.CHDIR, errno.ENOENT)


def test_a_control_group_that_is_gone(keep, tmp_path):
    record = keep("true", cgroup=tmp_path / "gone" / "cgroup.procs").ended()
    assert (record.stage, record.error) == (Stage.CGROUP, errno.ENOENT)


def test_the_program_runs_in_its_folder_with_no_input_and_default_signals(keep, tmp_path):
    kept = keep("sh", "-c", "pwd; cat; grep -E 'SigBlk|SigIgn' /proc/self/status", dir=tmp_path)
    assert kept.ended().exit_code == 0
    zeros = b"0" * 16
    assert kept.output() == b"%s\nSigBlk:\t%s\nSigIgn:\t%s\n" % (bytes(tmp_path), zeros, zeros)


def test_the_program_inherits_no_descriptor_of_the_keeper(keep):
    kept = keep("sh", "-c", "ls /proc/$$/fd")
    kept.ended()
    assert kept.output().split() == [b"0", b"1", b"2"]


def test_out_of_memory_is_counted_from_the_control_group(keep, tmp_path):
    events = tmp_path / "memory.events"
    events.write_text("oom 3\noom_kill 2\noom_group_kill 0\n")
    now_five = f"printf 'oom 9\\noom_kill 5\\n' > {events}; kill -9 $$"
    record = keep("sh", "-c", now_five, oom=events).ended()
    assert (record.signal, record.oom_kills) == (signal.SIGKILL, 3)


def test_the_exit_is_on_record_however_many_keepers_run(keep):
    all_kept = [keep("sh", "-c", f"sleep 0.1; echo {i}; exit {i}") for i in range(50)]
    for i, kept in enumerate(all_kept):
        assert kept.ended().exit_code == i
        assert kept.output() == b"%d\n" % i


def test_a_keeper_that_is_killed_while_it_records_an_end_leaves_a_whole_record(keep):
    """The kills close in on the moment of the write, from both sides."""
    seen: set[RecordState] = set()
    delay = 0.001
    for _ in range(100):
        kept = keep("sh", "-c", "exit 7")
        kill_at = time.perf_counter() + delay
        while time.perf_counter() < kill_at:
            pass
        kept.process.kill()
        record = kept.ended()  # raises where it is not whole
        seen.add(record.state)
        assert record.exit_code == (7 if record.state is RecordState.EXITED else 0)
        delay *= 0.9 if record.final else 1.2
    assert seen == {RecordState.RUNNING, RecordState.EXITED}


def test_a_keeper_refuses_a_record_that_was_used_before(keep):
    kept = keep("true")
    before = kept.ended()
    binary, _, _, *rest = kept.process.args
    with kept.record_path.open("r+b") as record:
        fd = record.fileno()
        again = subprocess.run([binary, "--record-fd", str(fd), *rest], pass_fds=[fd], check=False)
    assert again.returncode == 2
    assert kept.record == before


def test_the_keeper_tells_its_version(keeper_binary):
    told = subprocess.run([keeper_binary, "--version"], capture_output=True, check=True)
    assert told.stdout == b"shoal_keeper, records of version 1\n"


def wait_until(true, what: str) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, f"waited 60 s for {what}"
        time.sleep(0.01)


def test_the_program_dies_with_its_keeper(keep, tmp_path):
    kept = keep("sh", "-c", "echo here; exec sleep 1000")
    wait_until(lambda: kept.output() == b"here\n", "the program")
    program = kept.record.program_pid
    kept.process.kill()
    kept.process.wait(60)
    wait_until(lambda: not alive(program), "the end of the program")
    assert kept.record.state == RecordState.RUNNING


def alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"

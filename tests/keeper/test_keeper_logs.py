"""What programs write, in the format of container logs: exact, prompt and bounded."""

import re
import resource
import subprocess
import time

import pytest

from shoal.agent.record import RecordState

RECORD = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z (stdout|stderr) [FP] .*\Z", re.DOTALL)
LONGEST_TEXT = 16384
HEADER = 40


def wait_until(true) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_lines_of_both_streams(keep):
    kept = keep("sh", "-c", "echo one; echo two >&2; echo three")
    kept.ended()
    assert kept.output(b"stdout") == b"one\nthree\n"
    assert kept.output(b"stderr") == b"two\n"
    assert all(RECORD.match(line) for line in kept.logged)


def test_a_line_without_its_end_is_logged_at_once(keep, tmp_path):
    gate = tmp_path / "gate"
    kept = keep(
        "sh", "-c", f"printf 50%%; while [ ! -e {gate} ]; do sleep 0.01; done; echo ' done'"
    )
    wait_until(lambda: kept.output() == b"50%")
    assert kept.logged[0].split(b" ")[2] == b"P"
    gate.touch()
    kept.ended()
    assert kept.output() == b"50% done\n"


def test_any_bytes_come_back_as_they_were(keep, tmp_path):
    data = bytes(range(256)) * 200 + b"\0\r\xff no newline at the end"
    (tmp_path / "data").write_bytes(data)
    kept = keep("cat", str(tmp_path / "data"), log_bytes=1_000_000)
    kept.ended()
    assert kept.output() == data


def test_long_lines_are_split_into_parts(keep):
    kept = keep("sh", "-c", "head -c 50000 /dev/zero | tr '\\0' x; echo", log_bytes=1_000_000)
    kept.ended()
    assert kept.output() == b"x" * 50000 + b"\n"
    assert max(len(line) for line in kept.logged) <= HEADER + LONGEST_TEXT
    assert [line.split(b" ")[2] for line in kept.logged][-1] == b"F"


def test_endless_output_is_bounded_and_whole_records_are_kept(keep):
    kept = keep("sh", "-c", "yes 0123456789 | head -n 100000; echo last")
    assert kept.ended().exit_code == 0
    files = list(kept.folder.glob("log*"))
    assert sorted(file.name for file in files) == ["log", "log.1", "log.2"]
    assert all(file.stat().st_size <= 100_000 for file in files)
    assert all(RECORD.match(line) for line in kept.logged)
    assert kept.logged[-1].endswith(b" last")


def test_all_output_is_there_when_the_keeper_ends(keep):
    kept = keep("sh", "-c", "seq 5000", log_bytes=10_000_000)
    kept.ended()
    assert kept.output() == b"".join(b"%d\n" % i for i in range(1, 5001))


def test_a_program_that_closes_its_output_goes_on(keep):
    kept = keep("sh", "-c", "exec >&- 2>&-; sleep 0.1; exit 9")
    assert kept.ended().exit_code == 9


def test_a_log_that_cannot_grow_neither_stops_the_program_nor_loses_its_exit(keep, tmp_path):
    gate = tmp_path / "gate"
    program = f"echo before; while [ ! -e {gate} ]; do sleep 0.01; done; seq 20000; exit 11"
    kept = keep("sh", "-c", program, log_bytes=10_000_000)
    wait_until(lambda: kept.output() == b"before\n")
    resource.prlimit(kept.process.pid, resource.RLIMIT_FSIZE, (4096, 4096))
    gate.touch()
    record = kept.ended()
    assert (record.state, record.exit_code) == (RecordState.EXITED, 11)
    assert record.dropped_bytes > 0
    assert all(RECORD.match(line) for line in kept.logged)


def test_a_log_that_can_grow_again_says_what_it_lost(keep, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    wait = "while [ ! -e {} ]; do sleep 0.01; done; "
    program = wait.format(first) + "seq 20000; touch {}; ".format(tmp_path / "lost")
    kept = keep("sh", "-c", program + wait.format(second) + "echo after", log_bytes=10_000_000)
    limits = resource.prlimit(
        kept.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY)
    )
    first.touch()
    wait_until((tmp_path / "lost").exists)
    resource.prlimit(kept.process.pid, resource.RLIMIT_FSIZE, limits)
    second.touch()
    dropped = kept.ended().dropped_bytes
    notices = re.findall(rb"\[shoal\] (\d+) bytes of output", kept.output(b"stderr"))
    assert sum(map(int, notices)) == dropped > 0
    assert kept.output().endswith(b"after\n")


def test_a_full_disk_keeps_the_exit(keep, tmp_path):
    small = tmp_path / "0"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small disk can be mounted only by root")
    try:
        kept = keep("sh", "-c", "seq 100000; exit 12", log_bytes=10_000_000)
        record = kept.ended()
        assert (record.state, record.exit_code) == (RecordState.EXITED, 12)
        assert record.dropped_bytes > 0
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)

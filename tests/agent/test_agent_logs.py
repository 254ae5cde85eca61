"""Reading logs: put together, cut, followed over rotations."""

import asyncio
import contextlib
from pathlib import Path

import pytest
from tests.agent.box import Box

from shoal.agent.logfiles import LogFiles
from shoal.agent.logs import LogQuery, read_log


def line(second: int, text: str, *, stream: str = "stdout", tag: str = "F") -> str:
    return f"2026-11-30T12:00:{second:02}.000000000Z {stream} {tag} {text}\n"


async def text(path: Path, query: LogQuery) -> str:
    return b"".join([piece async for piece in read_log(path, query, lambda: True)]).decode()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "0.log"
    (tmp_path / "0.log.2").write_text(line(1, "one") + line(2, "two"))
    (tmp_path / "0.log.1").write_text(line(3, "thr", tag="P") + line(4, "ee"))
    path.write_text(line(5, "four", stream="stderr") + line(6, "fi", tag="P"))
    (tmp_path / "1.log").write_text(line(7, "of another start"))
    return path


ALL = "one\ntwo\nthree\nfour\nfi"


async def test_all_files_are_read_oldest_first_and_parts_are_joined(log: Path):
    assert await text(log, LogQuery()) == ALL


@pytest.mark.parametrize("count", range(7))
async def test_the_last_lines(log: Path, count: int):
    lines = ALL.splitlines(keepends=True)
    assert await text(log, LogQuery(tail_lines=count)) == "".join(
        lines[max(len(lines) - count, 0) :]
    )


async def test_times_stand_where_lines_begin(log: Path):
    shown = await text(log, LogQuery(timestamps=True, tail_lines=3))
    assert shown == (
        "2026-11-30T12:00:03.000000000Z three\n"
        "2026-11-30T12:00:05.000000000Z four\n"
        "2026-11-30T12:00:06.000000000Z fi"
    )


async def test_what_is_older_is_left_out(log: Path):
    assert await text(log, LogQuery(since="2026-11-30T12:00:05Z")) == "four\nfi"


@pytest.mark.parametrize("limit", [0, 1, 5, 1000])
async def test_a_limit_of_bytes(log: Path, limit: int):
    assert await text(log, LogQuery(limit_bytes=limit)) == ALL[:limit]


async def test_a_log_that_was_never_written_is_empty(tmp_path: Path):
    assert await text(tmp_path / "0.log", LogQuery()) == ""
    assert await text(tmp_path / "0.log", LogQuery(tail_lines=3)) == ""


def test_a_reader_follows_rotations_and_takes_whole_records_only(tmp_path: Path):
    path = tmp_path / "0.log"
    files = LogFiles(path)
    assert files.read() == b""
    path.write_text(line(1, "one") + line(2, "two")[:20])
    assert files.read().decode() == line(1, "one")
    path.write_text(line(1, "one") + line(2, "two"))
    path.rename(tmp_path / "0.log.1")
    path.write_text(line(3, "three"))
    assert files.read().decode() == line(2, "two")
    (tmp_path / "0.log.1").rename(tmp_path / "0.log.2")
    path.rename(tmp_path / "0.log.1")
    path.write_text(line(4, "four"))
    assert files.read().decode() == line(3, "three")
    assert files.read().decode() == line(4, "four")
    assert files.read() == b""
    files.close()


def test_a_reader_left_far_behind_goes_on_with_the_oldest_there_is(tmp_path: Path):
    path = tmp_path / "0.log"
    path.write_text(line(1, "one"))
    files = LogFiles(path)
    files.read()
    path.unlink()
    (tmp_path / "0.log.1").write_text(line(8, "eight"))
    path.write_text(line(9, "nine"))
    assert (files.read() + files.read()).decode() == line(8, "eight") + line(9, "nine")
    files.close()


async def test_a_follower_gets_everything_up_to_the_end(box: Box):
    await box.create("talks", "for i in 1 2 3; do echo $i; sleep 0.05; done; printf end")
    assert await box.logs("talks", follow=True) == "1\n2\n3\nend"


async def test_a_follower_may_come_before_the_pod_starts(box: Box):
    await box.create("early", "echo here", bind=False)
    await box.client.bind("early", box.namespace, box.node)
    assert await box.logs("early", follow=True) == "here\n"


async def test_a_follower_sees_a_part_before_its_line_ends(box: Box):
    await box.create("bar", "printf 50%%; while [ ! -e go ]; do sleep 0.02; done; echo done")
    await box.running("bar")
    assert await box.logs("bar", follow=True, limitBytes=3) == "50%"


def container(name: str, command: str) -> dict[str, object]:
    return {"name": name, "image": "host", "command": ["sh", "-c", command]}


async def test_a_container_that_has_not_started_says_what_it_waits_for(box: Box):
    await box.create("late", "echo x", initContainers=[container("first", "sleep 1000")])
    first = lambda pod: any(one.state.running for one in pod.status.init_container_statuses)  # noqa: E731
    pod = await box.pod_that("late", first)
    waits = "is waiting to start: PodInitializing"
    assert await box.logs("late") == f'400 container "main" in pod "late" {waits}'
    assert pod.status.container_statuses[0].state.waiting.reason == "PodInitializing"


async def test_a_container_that_was_never_started_says_why(box: Box):
    await box.create("never", "echo x", initContainers=[container("first", "exit 3")])
    await box.ended("never")
    told = "was never started: the pod ended before it was started"
    assert await box.logs("never") == f'400 container "main" in pod "never" {told}'


async def test_questions_that_have_no_answer(box: Box):
    assert "is not on this node" in await box.logs("nobody")
    await box.create("one", "echo x")
    await box.ended("one")
    assert "has no container other; main" in await box.logs("one", container="other")
    before = await box.logs("one", previous=True)
    assert before == '400 previous terminated container "main" in pod "one" not found'
    assert "tailLines=x is not a number" in await box.logs("one", tailLines="x")
    assert "tailLines=9999" in await box.logs("one", tailLines="9" * 5000)
    assert "sinceSeconds=9" in await box.logs("one", sinceSeconds="9" * 18)
    assert "sinceTime=soon is not a time" in await box.logs("one", sinceTime="soon")
    both = await box.logs("one", sinceTime="2026-12-24T08:00:00Z", sinceSeconds=1)
    assert both == "400 sinceSeconds and sinceTime exclude each other"


@pytest.mark.parametrize(
    ("since", "shown"),
    [
        ("2026-11-30T12:00:02Z", "two\n"),
        ("2026-11-30T13:00:01.000000001+01:00", "one\ntwo\n"),
        ("2026-11-30T12:00:03Z", ""),
        ("0001-01-01T00:00:00Z", "one\ntwo\n"),
    ],
)
async def test_a_log_since_a_time(box: Box, since: str, shown: str):
    pod = await box.create("dated", "true")
    await box.ended("dated")
    log = box.home.pod(pod.metadata.uid).attempt("main", 0).log
    log.write_text(line(1, "one") + line(2, "two"))
    log.with_name("0.log.²").write_text("no log of ours")
    log.with_name("notes").write_text("nor this")
    log.with_name("notes.record").write_text("nor that")
    assert await box.logs("dated", sinceTime=since) == shown


async def test_a_follower_that_leaves_is_not_waited_for(box: Box):
    pod = await box.create("silent", "echo up; exec sleep 1000")
    await box.running("silent")
    log = box.home.pod(pod.metadata.uid).attempt("main", 0).log
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await box.logs("silent", follow=True)
    await box.until(lambda: log not in open_files(), "the log to be closed")


def open_files() -> set[Path]:
    """What this process, and so the agent in it, has open."""
    found = set()
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.add(link.readlink())
    return found

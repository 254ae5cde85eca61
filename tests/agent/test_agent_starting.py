"""Starts that do not come off: what waits, what fails, and that a stop is heard meanwhile."""

import asyncio
import errno
import os
import threading
from collections.abc import Callable

import pytest
from tests.agent.box import Box, state
from tests.agent.snapshots import snapshot

from shoal.agent import keeper, launching
from shoal.agent.threads import in_thread
from shoal.api.kinds import PODS
from shoal.api.meta import ANNOTATION_CODE, ANNOTATION_TIME_LIMIT
from shoal.api.pod import Pod

KB = 1024


class Spawn:
    """Stands before ``posix_spawn``: counts, and raises while there is something to raise."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error
        self.calls = 0
        self._real = os.posix_spawn

    def __call__(self, *args: object, **named: object) -> int:
        self.calls += 1
        if self.error is not None:
            raise self.error
        return self._real(*args, **named)


@pytest.fixture
def spawn(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], Spawn]:
    def failing(error: Exception) -> Spawn:
        made = Spawn(error)
        monkeypatch.setattr(os, "posix_spawn", made)
        return made

    return failing


@pytest.mark.parametrize(
    ("command", "env", "told"),
    [
        (["true", "x" * (140 * KB - 1)], [], "140 kB in one argument; the limit is 128 kB"),
        (["true"], [{"name": "BIG", "value": "x" * (150 * KB - 5)}],
         "150 kB in variable BIG; the limit is 128 kB"),
    ],
)  # fmt: skip
async def test_a_command_that_is_too_long_fails_and_says_by_how_much(box: Box, command, env, told):
    await box.create("long", command, main={"env": env}, restartPolicy="Always")
    pod = await box.ended("long")
    sentence = f"the command and its environment are too long: {told}"
    assert (pod.status.reason, pod.status.message) == ("StartError", sentence)
    assert state(pod).terminated.message == sentence


def waits(pod: Pod) -> bool:
    waiting = state(pod).waiting
    return waiting is not None and waiting.reason == "OutOfResources"


async def test_a_start_waits_while_the_machine_is_short_of_something(box: Box, spawn):
    short = spawn(OSError(errno.EMFILE, "Too many open files"))
    await box.create("patient", "echo once", restartPolicy="OnFailure")
    pod = await box.pod_that("patient", waits)
    assert "too many files are open" in state(pod).waiting.message
    await box.until(lambda: short.calls >= 3, "more tries")
    short.error = None
    pod = await box.ended("patient")
    assert (pod.status.phase, pod.status.container_statuses[0].restart_count) == ("Succeeded", 0)
    assert await box.logs("patient") == "once\n"


async def test_a_start_that_waits_hears_that_its_time_is_over(box: Box, spawn):
    spawn(OSError(errno.EAGAIN, "Resource temporarily unavailable"))
    await box.create("timed", "echo never", activeDeadlineSeconds=1000)
    await box.pod_that("timed", waits)
    patch = {"spec": {"activeDeadlineSeconds": 1}}
    await box.client.patch(PODS, "timed", box.namespace, patch=patch)
    assert (await box.ended("timed")).status.reason == "DeadlineExceeded"


def limited(seconds: int) -> dict[str, dict[str, str]]:
    return {"annotations": {ANNOTATION_TIME_LIMIT: str(seconds)}}


async def test_the_time_limit_of_a_run_counts_from_the_programs_start(box: Box, spawn):
    short = spawn(OSError(errno.EAGAIN, "Resource temporarily unavailable"))
    program = "echo up; sleep 1000"
    await box.create("limited", program, meta=limited(3), activeDeadlineSeconds=3)
    await box.create("other", program, activeDeadlineSeconds=3)
    assert (await box.ended("other")).status.reason == "DeadlineExceeded"
    assert waits(await box.pod("limited"))
    short.error = None
    pod = await box.ended("limited")
    assert (pod.status.reason, await box.logs("limited")) == ("DeadlineExceeded", "up\n")


async def test_the_time_limit_of_a_run_is_the_same_for_the_next_agent(box: Box):
    pod = await box.create("limited", "sleep 1000", meta=limited(3), activeDeadlineSeconds=3)
    await box.running("limited")
    await box.stop()
    await box.start()
    assert (await box.ended("limited")).status.reason == "DeadlineExceeded"
    assert box.record(pod).ended_ns - box.record(pod).started_ns < 60 * 10**9


async def test_a_run_that_is_to_end_does_so_before_it_is_started(box: Box, spawn):
    spawn(OSError(errno.EAGAIN, "Resource temporarily unavailable"))
    await box.create("limited", "echo never", meta=limited(1000), activeDeadlineSeconds=1000)
    await box.pod_that("limited", waits)
    patch = {"spec": {"activeDeadlineSeconds": 1}}
    await box.client.patch(PODS, "limited", box.namespace, patch=patch)
    assert (await box.ended("limited")).status.reason == "DeadlineExceeded"


async def test_what_breaks_the_agent_each_time_fails_the_pod(box: Box, spawn):
    broken = spawn(ValueError("illegal environment variable name"))
    await box.create("broken", "echo never")
    pod = await box.ended("broken")
    assert pod.status.reason == "AgentError"
    assert pod.status.message == "the agent could not run it: illegal environment variable name"
    assert broken.calls == 3


async def test_the_time_of_a_pod_that_cannot_start_counts_from_when_it_came(box: Box, spawn):
    short = spawn(OSError(errno.EAGAIN, "Resource temporarily unavailable"))
    await box.create("since", "echo never")
    before = (await box.pod_that("since", waits)).status.start_time
    await box.stop()
    calls = short.calls
    await box.start()
    await box.until(lambda: short.calls > calls, "another try")
    await box.delete("since")
    await box.gone("since")
    assert before is not None


class Slow:
    """Stands before what is done in a thread: lets it go on once it is told to."""

    def __init__(self, real: Callable[..., object]) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.over = threading.Event()
        self._real = real

    def __call__(self, *args: object) -> object:
        self.begun.set()
        assert self.go_on.wait(60)
        try:
            return self._real(*args)
        finally:
            self.over.set()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Callable[[object, str], Slow]:
    def slowed(module: object, name: str) -> Slow:
        made = Slow(getattr(module, name))
        monkeypatch.setattr(module, name, made)
        return made

    return slowed


async def test_an_agent_that_stops_in_the_middle_of_a_start_leaves_it_to_the_next(box: Box, slow):
    making = slow(keeper, "create_record")
    await box.create("halfway", "echo once")
    await box.until(making.begun.is_set, "the start")
    stopping = asyncio.ensure_future(box.stop())
    await asyncio.sleep(0)
    making.go_on.set()
    await stopping
    await box.start()
    assert (await box.ended("halfway")).status.phase == "Succeeded"
    assert await box.logs("halfway") == "once\n"


async def test_a_pod_that_goes_while_its_code_is_unpacked_leaves_nothing(box: Box, slow):
    unpacking = slow(launching, "place_code")
    meta = {"annotations": {ANNOTATION_CODE: snapshot(box.home.root)}}
    pod = await box.create("undone", "echo never", meta=meta)
    await box.until(unpacking.begun.is_set, "its preparation")
    await box.delete("undone")
    home = box.home.pod(pod.metadata.uid).root
    for _ in range(100):  # time enough to go, if it did not wait
        await box.client.list(PODS, box.namespace)
        if not home.exists():
            break
    unpacking.go_on.set()
    await box.gone("undone")
    await box.until(unpacking.over.is_set, "the end of the thread")
    await box.until(lambda: not home.exists(), "the end of its folder")


async def test_who_is_cancelled_waits_for_the_thread_however_often():
    go_on, begun, undone = threading.Event(), threading.Event(), []

    def work() -> str:
        begun.set()
        assert go_on.wait(60)
        return "made"

    task = asyncio.ensure_future(in_thread(work, undone.append))
    await asyncio.to_thread(begun.wait)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert undone == ["made"]

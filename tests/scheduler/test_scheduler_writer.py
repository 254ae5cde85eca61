"""Requests are few at a time, and repeated only while that may help."""

import asyncio

import pytest

from shoal.kube.errors import ApiError, Unreachable
from shoal.scheduler.backoff import Backoff
from shoal.scheduler.writer import Writer

NO_WAITS = (0.0, 0.0)


class Server:
    """Fails a number of times, then answers."""

    def __init__(self, failures, error=None):
        self.failures = failures
        self.error = error or Unreachable("server", "refused")
        self.asked = 0

    async def request(self):
        self.asked += 1
        if self.asked <= self.failures:
            raise self.error
        return "answer"


async def test_passing_trouble_is_waited_out():
    server = Server(failures=2)
    assert await Writer(NO_WAITS).attempt(server.request) == "answer"


async def test_an_attempt_gives_up_after_some_tries():
    server = Server(failures=99)
    with pytest.raises(Unreachable):
        await Writer(NO_WAITS).attempt(server.request)
    assert server.asked == 3


async def test_who_insists_goes_on_until_there_is_an_answer():
    assert await Writer(NO_WAITS).insist(Server(failures=50).request) == "answer"


async def test_a_refusal_is_not_repeated():
    server = Server(failures=1, error=ApiError(409, "Conflict", "changed"))
    with pytest.raises(ApiError, match="changed"):
        await Writer(NO_WAITS).insist(server.request)
    assert server.asked == 1


async def test_few_requests_are_in_flight_at_once():
    writer, full, free = Writer(NO_WAITS), asyncio.Event(), asyncio.Event()
    flying = most = 0

    async def request():
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        if flying == 32:
            full.set()
        await free.wait()
        flying -= 1

    tasks = [asyncio.create_task(writer.attempt(request)) for _ in range(100)]
    async with asyncio.timeout(30):
        await full.wait()
    free.set()
    await asyncio.gather(*tasks)
    assert most == 32


def test_a_group_waits_longer_after_each_refusal_and_anew_once_placed():
    backoff = Backoff()
    waits = [backoff.next("a") for _ in range(12)]
    assert waits[:3] == [200, 400, 800]
    assert waits[-1] == 30_000
    backoff.forget("a")
    assert backoff.next("a") == 200

"""Streams that are slow, late, or too many: bounded, and told so."""

import asyncio
import contextlib
import json

import pytest

from shoal.apiserver import app as app_module
from shoal.apiserver.app import App
from shoal.apiserver.auth import Guard
from shoal.apiserver.history import Bounds, Key
from shoal.apiserver.http import Request
from shoal.apiserver.kinds.builtin import BUILTIN, CONFIG_MAP, SECRET
from shoal.apiserver.log import Log
from shoal.apiserver.registry import Registry
from shoal.apiserver.server import Server, Target
from shoal.apiserver.store import Store
from shoal.apiserver.watch import watch


@pytest.fixture
async def server(tmp_path):
    """A server's inside, with a window of ten events."""
    store = Store(Log(tmp_path / "store.db"), Bounds(events=10))
    store.start()
    yield Server(store, Registry(BUILTIN), tmp_path, Guard("t"))
    store.stop()


async def write(server, count, resource=CONFIG_MAP):
    for number in range(count):
        document = {"metadata": {"name": "a"}, "data": {"k": str(number)}}
        await server.store.put(Key(resource.key, "ns", "a"), document)


async def watching(server, **query):
    request = Request("GET", "/", "", {"watch": "true"} | query, {})
    return (await watch(server, request, Target(CONFIG_MAP, "ns"))).chunks


def events(chunk):
    return [json.loads(line) for line in chunk.splitlines()]


async def test_a_watch_that_is_too_slow_is_cut_off_and_told_to_list_again(server):
    await write(server, 1)
    async with contextlib.aclosing(await watching(server)) as chunks:
        assert [event["type"] for event in events(await anext(chunks))] == ["ADDED"]
        await write(server, 30)
        last = events(await anext(chunks))
        assert [(e["type"], e["object"]["code"]) for e in last] == [("ERROR", 410)]
        with pytest.raises(StopAsyncIteration):
            await anext(chunks)


async def test_a_watch_from_a_version_that_is_gone_is_too_old(server):
    await write(server, 30)
    async with contextlib.aclosing(await watching(server, resourceVersion="1")) as chunks:
        assert events(await anext(chunks))[0]["object"]["reason"] == "Expired"


async def test_what_is_busy_elsewhere_does_not_age_a_quiet_watch(server):
    await write(server, 1)
    async with contextlib.aclosing(await watching(server)) as chunks:
        await anext(chunks)
        await write(server, 30, SECRET)
        await write(server, 1)
        assert [event["type"] for event in events(await anext(chunks))] == ["MODIFIED"]


async def test_the_first_events_and_the_next_neither_overlap_nor_leave_a_gap(server):
    chunks = await watching(server)
    await write(server, 3)
    first = events(await anext(chunks))
    await write(server, 2)
    rest = events(await anext(chunks))
    await chunks.aclose()
    seen = [event["object"]["data"]["k"] for event in first + rest]
    assert seen == ["2", "0", "1"]


async def test_a_watch_that_left_is_forgotten(server):
    chunks = await watching(server)
    await write(server, 1)
    await anext(chunks)
    assert len(server.store._wakes["configmaps"]) == 1
    await chunks.aclose()
    assert len(server.store._wakes["configmaps"]) == 0


class Client:
    """One request that stays until it is told to leave; what it is answered goes by status."""

    def __init__(self, app):
        self.answers = asyncio.Queue()
        request = Request("GET", "/api/v1/configmaps", "watch=true", {"watch": "true"}, {})
        self.task = asyncio.create_task(app.serve(request, self))

    def send(self, response):
        self.answers.put_nowait(response.status)

    def begin(self, stream):
        self.answers.put_nowait(stream.status)
        return True

    async def pass_on(self, chunk):
        pass

    def end(self):
        pass

    async def status(self):
        return await asyncio.wait_for(self.answers.get(), 30)

    async def leave(self):
        self.task.cancel()
        await asyncio.wait_for(self.task, 30)


async def test_watches_beyond_the_bound_are_refused_until_one_leaves(server, monkeypatch):
    monkeypatch.setattr(app_module, "_MOST_STREAMS", 2)
    app = App(server)
    clients = [Client(app), Client(app)]
    assert [await client.status() for client in clients] == [200, 200]
    assert await Client(app).status() == 429
    await clients[0].leave()
    late = Client(app)
    assert await late.status() == 200
    app.stop()
    await asyncio.wait_for(asyncio.gather(clients[1].task, late.task), 30)

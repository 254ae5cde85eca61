"""The whole scheduler, as the loops' process runs it."""

import asyncio
import contextlib

import aiohttp
import pytest

from shoal.api import kinds
from shoal.kube.client import Client
from shoal.kube.sockets import short_path
from shoal.scheduler.main import SOCKET, run_scheduler


@pytest.fixture
async def home_and_box(tmp_path, tools):
    with tools.api_server(tmp_path) as config:
        async with Client(config) as client:
            yield tmp_path, await tools.new_box(client)


async def board(home):
    """The board, as the API server's proxy would fetch it."""
    with short_path(home / "sock" / SOCKET) as path:
        async with (
            aiohttp.ClientSession(connector=aiohttp.UnixConnector(path)) as session,
            session.get("http://scheduler/board") as answer,
        ):
            return await answer.json()


async def test_it_places_what_is_there_answers_questions_and_stops_clean(home_and_box, tools):
    home, box = home_and_box
    await box.add_gang("ring", 3)
    before = asyncio.all_tasks()
    scheduler = asyncio.create_task(run_scheduler(box.client, home))

    async def all_bound():
        return set(await box.nodes_of_pods()) == {box.node}

    await tools.wait_until(all_bound, "the gang is placed")
    (node,) = (await board(home))["nodes"]
    assert [card["milliFree"] for card in node["cards"]] == [500, 500, 500]

    scheduler.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await scheduler
    assert scheduler.cancelled()
    assert asyncio.all_tasks() == before
    with pytest.raises(aiohttp.ClientConnectionError):
        await board(home)


async def test_what_an_agent_still_holds_of_a_claim_that_is_gone_keeps_the_node_closed(
    home_and_box, tools
):
    home, box = home_and_box
    use = {"apiVersion": "shoal.dev/v1alpha1", "kind": "NodeUse", "metadata": {"name": box.node}}
    await box.client.create(kinds.NODE_USES, use)
    held = {"status": {"bootID": "b1", "held": [{"uid": "of-a-claim-that-is-gone"}]}}
    await box.client.patch(kinds.NODE_USES, box.node, patch=held, subresource="status")
    await box.add_pod("a", "1/2")
    ready = asyncio.Event()
    scheduler = asyncio.create_task(run_scheduler(box.client, home, ready=ready.set))
    await ready.wait()

    async def is_closed():
        nodes = (await board(home))["nodes"]
        return bool(nodes) and "closed" in nodes[0]

    await tools.wait_until(is_closed, "the node is closed")
    assert await box.held() == {}
    free = {"status": {"held": []}}
    await box.client.patch(kinds.NODE_USES, box.node, patch=free, subresource="status")

    async def all_bound():
        return set(await box.nodes_of_pods()) == {box.node}

    await tools.wait_until(all_bound, "the pod is placed")
    await tools.end(scheduler)

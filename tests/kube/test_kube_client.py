"""The asyncio client: what waits for its turn is not given up meanwhile."""

import asyncio
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from shoal.kube import client as module
from shoal.kube.client import Client
from shoal.kube.config import Config
from shoal.kube.errors import Unreachable


async def test_the_time_of_a_request_counts_from_its_turn(monkeypatch: pytest.MonkeyPatch):
    async def answer(request: web.Request) -> web.Response:
        if request.path == "/never":
            await asyncio.Event().wait()
        return web.json_response({})

    app = web.Application()
    app.router.add_get("/{path}", answer)
    monkeypatch.setattr(module, "TIMEOUT", 2)
    monkeypatch.setattr(module, "_AT_ONCE", 1)
    async with TestServer(app, shutdown_timeout=0) as server:
        config = Config(str(server.make_url("")), "token", "", Path("kubeconfig"))
        async with Client(config) as client:
            asked = (client.request("GET", path) for path in ("/never", "/soon"))
            stuck, answered = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(stuck, Unreachable)
    assert answered == b"{}"

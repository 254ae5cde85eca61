"""Unix sockets work under paths that are longer than their own limit, and end when told to."""

import asyncio
import socket
from pathlib import Path

import pytest
from aiohttp import ClientError, ClientSession, UnixConnector, web

from shoal.kube.sockets import serve_unix, short_path


async def test_a_socket_under_a_long_path_answers_and_is_private(tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 20) / ("path-" * 20)
    path = folder / "svc-x.sock"
    app = web.Application()
    app.router.add_get("/", _answer)
    runner = await serve_unix(path, app)
    try:
        assert path.stat().st_mode & 0o077 == 0
        with short_path(path) as short:
            session = ClientSession(connector=UnixConnector(short))
            async with session, session.get("http://shoal/") as answer:
                assert await answer.text() == "here"
    finally:
        await runner.cleanup()


async def test_a_socket_left_over_by_a_dead_process_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "svc-x.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    runner = await serve_unix(path, web.Application())
    await runner.cleanup()


async def test_an_answer_without_end_does_not_hold_up_its_server(tmp_path: Path) -> None:
    path, asked = tmp_path / "s.sock", asyncio.Event()

    async def endless(_: web.Request) -> web.Response:
        asked.set()
        await asyncio.Event().wait()
        return web.Response()

    app = web.Application()
    app.router.add_get("/", endless)
    runner = await serve_unix(path, app)
    async with ClientSession(connector=UnixConnector(str(path))) as session:
        asking = asyncio.ensure_future(session.get("http://here/"))
        await asked.wait()
        await asyncio.wait_for(runner.cleanup(), 30)
        with pytest.raises(ClientError):
            await asking


async def _answer(_: web.Request) -> web.Response:
    return web.Response(text="here")

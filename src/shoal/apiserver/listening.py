"""The listening socket: a connection for each client, and an end in order."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable
from typing import Final

from shoal.apiserver.app import App
from shoal.apiserver.connection import Connection
from shoal.apiserver.unread import Unread

_BACKLOG: Final = 2048
_GRACE_S: Final = 1
_LOOK_EVERY_S: Final = 0.01


async def answer_clients(
    app: App, listener: socket.socket, context: ssl.SSLContext, ready: Callable[[], None]
) -> None:
    """Answer whoever connects until cancelled; then streams end and answers are given yet."""
    loop = asyncio.get_running_loop()
    connections: set[Connection] = set()
    unread = Unread(loop)
    server = await loop.create_server(
        lambda: Connection(app, connections, unread),
        sock=listener,
        ssl=context,
        backlog=_BACKLOG,
    )
    ready()
    try:
        await loop.create_future()
    finally:
        server.close()
        app.stop()
        await _let_go(connections)


async def _let_go(connections: set[Connection]) -> None:
    """Close what is idle, wait for answers, and drop who does not close.

    A TLS client that reads nothing would otherwise be waited for.
    """
    for connection in tuple(connections):
        connection.finish()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_GRACE_S):
            while connections:  # noqa: ASYNC110 - each end would have to tell
                await asyncio.sleep(_LOOK_EVERY_S)
    for connection in tuple(connections):
        connection.abort()
    await asyncio.sleep(0)

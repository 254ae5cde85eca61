"""A proxy that keeps what a client asked and how it was answered.

Clients reach it by plain HTTP, so that nothing but the proxy needs the server's certificate and
token. Streams pass as they come.
"""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web
from yarl import URL

WATCH = "watch"
HOP = {"connection", "transfer-encoding", "content-length", "host", "keep-alive"}


@dataclass
class Seen:
    """One request and the head of its answer."""

    method: str
    path: str
    query: dict[str, str]
    content_type: str | None
    status: int
    answer_type: str | None


@dataclass
class Recorder:
    """Where the proxy listens, and what went through it since ``seen`` was emptied."""

    url: str = ""
    seen: list[Seen] = field(default_factory=list)

    def answered(self, method: str, ending: str) -> bool:
        """Whether there was an answer to such a request; WATCH stands for any watch."""
        return any(
            one.method == method
            and (one.query.get("watch") if ending == WATCH else one.path.endswith(ending))
            for one in self.seen
        )


@contextmanager
def recorder(server: str, trust: ssl.SSLContext, token: str) -> Iterator[Recorder]:
    """A proxy in front of a server, in a thread of its own."""
    kept = Recorder()
    ready, end = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        connector = aiohttp.TCPConnector(ssl=trust, limit=0)
        quiet = aiohttp.ClientTimeout(total=None)
        async with aiohttp.ClientSession(
            connector=connector, timeout=quiet, auto_decompress=False
        ) as session:
            application = web.Application(client_max_size=1 << 26)
            handle = _handler(kept, session, server, token)
            application.router.add_route("*", "/{path:.*}", handle)
            runner = web.AppRunner(application, shutdown_timeout=0.1)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            kept.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            ready.set()
            await end.wait()
            await runner.cleanup()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(30), "the proxy did not start"
        yield kept
    finally:
        loops[0].call_soon_threadsafe(end.set)
        thread.join(30)


def _handler(kept, session, server, token):
    async def handle(request: web.Request) -> web.StreamResponse:
        headers = {k: v for k, v in request.headers.items() if k.lower() not in HOP}
        headers["Authorization"] = f"Bearer {token}"
        body = await request.read()
        async with session.request(
            request.method,
            URL(server + request.raw_path, encoded=True),
            headers=headers,
            data=body or None,
            skip_auto_headers=("Content-Type", "Accept-Encoding", "User-Agent"),
            allow_redirects=False,
        ) as answer:
            kept.seen.append(
                Seen(
                    request.method,
                    request.path,
                    dict(request.query),
                    request.headers.get("Content-Type"),
                    answer.status,
                    answer.headers.get("Content-Type"),
                )
            )
            response = web.StreamResponse(status=answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in HOP:
                    response.headers.add(name, value)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await response.write(chunk)
            await response.write_eof()
            return response

    return handle

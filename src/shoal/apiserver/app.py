"""The ASGI application: bounds, authentication, routing, and errors turned into answers."""

import asyncio
import contextlib
import gzip
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from shoal.apiserver.http import Answer, Request, Response, Stream, parse_query, refusal
from shoal.apiserver.metrics import Labels
from shoal.apiserver.routes import NOWHERE, find
from shoal.apiserver.server import Server
from shoal.dialect.status import Details, StatusError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_log: Final = logging.getLogger(__name__)
_MOST_BODY: Final = 3 * 1024 * 1024
_MOST_STREAMS: Final = 2000
_COMPRESS_FROM: Final = 128 * 1024
_COMPRESS_LEVEL: Final = 1


class App:
    """Serves one ``Server``. Streams end when ``stop`` is called."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._streams: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            return
        labels, answer = await self._answer(scope, receive)
        self._server.counters.requests[*labels, str(answer.status)] += 1
        if isinstance(answer, Response):
            await _send_response(await _compressed(answer, scope), send)
            return
        self._server.counters.streams[labels] += 1
        try:
            await self._send_stream(answer, receive, send)
        finally:
            self._server.counters.streams[labels] -= 1

    def stop(self) -> None:
        """End every stream, so that the server can close its connections."""
        for task in tuple(self._streams):
            task.cancel()

    async def _answer(self, scope: Scope, receive: Receive) -> tuple[Labels, Answer]:
        """The answer, and what it is counted as."""
        request = _request(scope)
        place = NOWHERE
        try:
            self._server.guard.check(request.path, request.headers)
            place = find(self._server.registry, request)
            body = await _read_body(request, receive)
            answer = await place.act(self._server, _with_body(request, body))
        except StatusError as error:
            answer = refusal(error)
        except Exception as error:
            _log.exception(
                "request failed", extra={"method": scope["method"], "path": scope["path"]}
            )
            answer = refusal(_unexpected(error))
        if isinstance(answer, Stream) and len(self._streams) >= _MOST_STREAMS:
            await answer.chunks.aclose()
            answer = refusal(_too_many_streams())
        return place.labels, answer

    async def _send_stream(self, stream: Stream, receive: Receive, send: Send) -> None:
        """Pass chunks on until they end, the client leaves or the server stops.

        A stream that breaks is not ended: the client is to see that it was cut off.
        """
        pump = asyncio.create_task(_pump(stream, send))
        self._streams.add(pump)
        gone = asyncio.create_task(_until_gone(receive))
        try:
            await asyncio.wait({pump, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._streams.discard(pump)
            pump.cancel()
            gone.cancel()
            await asyncio.gather(pump, gone, return_exceptions=True)


def _request(scope: Scope) -> Request:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    query_string = scope["query_string"].decode("latin-1")
    query = parse_query(query_string)
    return Request(scope["method"], scope["path"], query_string, query, headers)


def _with_body(request: Request, body: bytes) -> Request:
    if not body:
        return request
    return Request(
        request.method, request.path, request.query_string, request.query, request.headers, body
    )


async def _read_body(request: Request, receive: Receive) -> bytes:
    if request.method in ("GET", "HEAD"):
        return b""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > _MOST_BODY:
        raise _too_large()
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise StatusError(400, "BadRequest", "the client left before the body ended")
        part = message.get("body", b"")
        size += len(part)
        if size > _MOST_BODY:
            raise _too_large()
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


async def _compressed(response: Response, scope: Scope) -> Response:
    """A large answer in gzip, where the client takes it; packed off the event loop."""
    if len(response.body) < _COMPRESS_FROM or scope["method"] != "GET":
        return response
    accepted = next((value for name, value in scope["headers"] if name == b"accept-encoding"), b"")
    if b"gzip" not in accepted:
        return response
    packed = await asyncio.to_thread(gzip.compress, response.body, _COMPRESS_LEVEL)
    headers = (("content-encoding", "gzip"), ("vary", "Accept-Encoding"), *response.headers)
    return Response(response.status, packed, response.content_type, headers)


async def _send_response(response: Response, send: Send) -> None:
    headers = [
        (b"content-type", response.content_type.encode()),
        (b"content-length", str(len(response.body)).encode()),
        *((name.encode(), value.encode()) for name, value in response.headers),
    ]
    if all(name != "cache-control" for name, _ in response.headers):
        headers.append((b"cache-control", b"no-cache, private"))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})


async def _pump(stream: Stream, send: Send) -> None:
    headers = [
        (b"content-type", stream.content_type.encode()),
        (b"cache-control", b"no-cache, private"),
    ]
    await send({"type": "http.response.start", "status": stream.status, "headers": headers})
    with contextlib.suppress(asyncio.CancelledError):
        async with contextlib.aclosing(stream.chunks) as chunks:
            async for chunk in chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _too_large() -> StatusError:
    return StatusError(413, "RequestEntityTooLarge", f"the body is larger than {_MOST_BODY} bytes")


def _too_many_streams() -> StatusError:
    message = f"{_MOST_STREAMS} watches and logs are open already; close some and try again"
    return StatusError(429, "TooManyRequests", message, Details(retry_after_seconds=1))


def _unexpected(error: Exception) -> StatusError:
    message = f"the server met an error of its own ({type(error).__name__}); its log tells more"
    return StatusError(500, "InternalError", message)

"""The application: authentication, routing, and errors turned into answers."""

import asyncio
import contextlib
import gzip
import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Final, Protocol

from shoal.apiserver.bounds import LONG_HEAD, MOST_BODY
from shoal.apiserver.http import Answer, Request, Response, Stream, refusal, warned
from shoal.apiserver.metrics import Labels
from shoal.apiserver.routes import NOWHERE, find
from shoal.apiserver.server import Server
from shoal.dialect.status import Details, StatusError

_log: Final = logging.getLogger(__name__)
_MOST_STREAMS: Final = 2000
_COMPRESS_FROM: Final = 128 * 1024
_COMPRESS_LEVEL: Final = 1


class Client(Protocol):
    """Who gets an answer: whole, or as a stream that is begun, passed on and ended."""

    def making(self, size: int) -> AbstractContextManager[None]:
        """Holds so many bytes of an answer that is still worked on."""

    def send(self, response: Response) -> None:
        """A whole answer."""

    def begin(self, stream: Stream) -> bool:
        """The head of an answer that goes on; False when the client has left already."""

    async def pass_on(self, chunk: bytes) -> None:
        """A part of it; returns when there is room for the next."""

    def end(self) -> None:
        """The end of it."""


class App:
    """Serves one ``Server``. Streams end when ``stop`` is called."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._streams: set[asyncio.Task[None]] = set()

    def refuse(self, path: str, headers: Mapping[str, str]) -> Response | None:
        """What is told to a request before its body is read; None: let it come."""
        try:
            self._server.guard.check(path, headers)
            _check_encoding(headers)
        except StatusError as error:
            return self._refusal(error)
        declared = headers.get("content-length", "")
        return self.too_large() if declared.isdigit() and int(declared) > MOST_BODY else None

    def long_head(self) -> Response:
        """What is told where path and headers are longer than they may be."""
        return self._refusal(StatusError(431, "RequestHeaderFieldsTooLarge", LONG_HEAD))

    def too_large(self) -> Response:
        """What is told where more comes than a body may have."""
        message = f"the body is larger than {MOST_BODY} bytes"
        return self._refusal(StatusError(413, "RequestEntityTooLarge", message))

    async def serve(self, request: Request, client: Client) -> None:
        """Answer one request that was not refused.

        Ends early when it is cancelled in a stream. A stream that breaks raises and is not ended:
        the client is to see that it was cut off.
        """
        labels, answer = await self._answer(request)
        self._server.counters.requests[*labels, str(answer.status)] += 1
        if isinstance(answer, Response):
            client.send(await _compressed(answer, request, client))
            return
        self._server.counters.streams[labels] += 1
        try:
            await self._stream(answer, client)
        finally:
            self._server.counters.streams[labels] -= 1

    def stop(self) -> None:
        """End every stream, so that the server can close its connections."""
        for task in tuple(self._streams):
            task.cancel()

    async def _answer(self, request: Request) -> tuple[Labels, Answer]:
        """The answer, and what it is counted as."""
        place = NOWHERE
        try:
            place = find(self._server.registry, request)
            answer = await place.act(self._server, request)
        except StatusError as error:
            answer = refusal(error)
        except Exception as error:
            _log.exception("request failed", extra={"method": request.method, "path": request.path})
            answer = refusal(_unexpected(error))
        if place.warning:
            answer = warned(answer, place.warning)
        if isinstance(answer, Stream) and len(self._streams) >= _MOST_STREAMS:
            await answer.chunks.aclose()
            answer = refusal(_too_many_streams())
        return place.labels, answer

    async def _stream(self, stream: Stream, client: Client) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._streams.add(task)
        try:
            with contextlib.suppress(asyncio.CancelledError):
                async with contextlib.aclosing(stream.chunks) as chunks:
                    if client.begin(stream):
                        async for chunk in chunks:
                            await client.pass_on(chunk)
            client.end()
        finally:
            self._streams.discard(task)

    def _refusal(self, error: StatusError) -> Response:
        self._server.counters.requests[*NOWHERE.labels, str(error.code)] += 1
        return refusal(error)


async def _compressed(response: Response, request: Request, client: Client) -> Response:
    """A large answer in gzip, where the client takes it; packed off the event loop."""
    if len(response.body) < _COMPRESS_FROM or request.method != "GET":
        return response
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return response
    with client.making(len(response.body)):
        packed = await asyncio.to_thread(gzip.compress, response.body, _COMPRESS_LEVEL)
    headers = (("content-encoding", "gzip"), ("vary", "Accept-Encoding"), *response.headers)
    return Response(response.status, packed, response.content_type, headers)


def _check_encoding(headers: Mapping[str, str]) -> None:
    """Packed bodies are refused: their bound would have to hold for what they unpack to."""
    encoding = headers.get("content-encoding", "")
    if encoding and encoding.lower() != "identity":
        message = f"bodies packed with {encoding[:40]} are not read here; send them as they are"
        raise StatusError(415, "UnsupportedMediaType", message)


def _too_many_streams() -> StatusError:
    message = f"{_MOST_STREAMS} watches and logs are open already; close some and try again"
    return StatusError(429, "TooManyRequests", message, Details(retry_after_seconds=1))


def _unexpected(error: Exception) -> StatusError:
    message = f"the server met an error of its own ({type(error).__name__}); its log tells more"
    return StatusError(500, "InternalError", message)

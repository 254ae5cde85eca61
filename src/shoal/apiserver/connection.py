"""One connection: bytes to requests, answers to bytes, and never two answers at once.

HTTP/1.1 with keep-alive, pipelining and bodies in pieces. ``httptools`` reads heads; the rest is
here, since every layer between a socket and a verb costs each request its share. A client that
breaks the rules gets a plain refusal and loses its connection.
"""

import asyncio
import logging
from collections import deque
from contextlib import AbstractContextManager
from typing import Any, Final
from urllib.parse import unquote

import httptools
import msgspec

from shoal.apiserver.app import App
from shoal.apiserver.bounds import (
    LONG_HEAD,
    MOST_BODY,
    MOST_HEAD,
    Patience,
    Reader,
    most_connections,
)
from shoal.apiserver.heads import CONTINUE, head_of, head_of_stream
from shoal.apiserver.http import PLAIN_TEXT, Request, Response, Stream, parse_query
from shoal.apiserver.unread import Taken, Unread

_log: Final = logging.getLogger(__name__)
_MOST_JOINED: Final = 64 * 1024
_WITHOUT_BODY: Final = frozenset({"GET", "HEAD"})


class _Asked(msgspec.Struct, frozen=True):
    """A request that waits for its answer, or was refused before its body was read."""

    request: Request
    keep: bool
    refusal: Response | None


class Connection(asyncio.Protocol):
    """Reads requests from a client and gives them to the application one after the other."""

    _transport: Any

    def __init__(self, app: App, everyone: "set[Connection]", unread: Unread) -> None:
        self._app = app
        self._everyone = everyone
        self._unread = unread
        self._loop = asyncio.get_running_loop()
        self._parser = httptools.HttpRequestParser(self)
        self._waiting: deque[_Asked] = deque()
        self._task: asyncio.Task[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self._over = self._ending = self._lost = False
        self._streaming = self._reads_no_more = False
        self._keep = self._without_body = False
        self._arriving = self._in_head = False
        self._unfinished = 0

    def finish(self) -> None:
        """Close once what is being answered is answered."""
        self._ending = True
        if self._task is None:
            self._close()

    def abort(self) -> None:
        """Drop the client."""
        self._transport.abort()

    # What the application calls.

    def making(self, size: int) -> AbstractContextManager[None]:
        """Holds so many bytes of an answer that is still worked on."""
        return self._unread.making(size)

    def send(self, response: Response) -> None:
        """A whole answer."""
        head = head_of(response, keep=self._keep)
        body = b"" if self._without_body else response.body
        if len(body) <= _MOST_JOINED:
            self._write(head + body)
        else:
            self._write(head)
            self._write(body)

    def begin(self, stream: Stream) -> bool:
        """The head of an answer that goes on; False when the client has left already."""
        self._streaming = not self._lost
        self._write(head_of_stream(stream, keep=self._keep))
        return self._streaming

    async def pass_on(self, chunk: bytes) -> None:
        """A part of it; returns when there is room for the next."""
        if chunk:
            self._write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            await self._until_drained()

    def end(self) -> None:
        """The end of it."""
        self._streaming = False
        self._write(b"0\r\n\r\n")

    # What the transport calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        self._transport = transport
        self._patience = Patience(self._loop, transport)
        self._client = Taken(transport)
        self._reader = Reader(self._loop, self._client)
        self._everyone.add(self)
        self._unread.add(self._client)
        if len(self._everyone) > most_connections():
            self._over = True
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone. A stream to it ends; what else it asked for is done."""
        self._everyone.discard(self)
        self._unread.remove(self._client)
        self._lost = self._over = True
        self._patience.end()
        self.resume_writing()
        del self._parser  # it holds this, and so all that was not sent, until a collection
        if self._streaming and self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        """Bytes from the client."""
        if self._over:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # answered like any request: nothing is spoken here but HTTP
        except httptools.HttpParserError:
            self._break_off("this is no HTTP request")
        if self._in_head:
            self._unfinished += len(data)
            if self._unfinished > MOST_HEAD:
                self._break_off(LONG_HEAD, 431)

    def pause_writing(self) -> None:
        """The client does not read what there is for it."""
        self._drained = self._loop.create_future()
        self._reader.must_read()

    def resume_writing(self) -> None:
        """It has read."""
        self._reader.has_read()
        drained, self._drained = self._drained, None
        if drained is not None and not drained.done():
            drained.set_result(None)

    # What the parser calls.

    def on_message_begin(self) -> None:
        """A request begins."""
        self._patience.await_request()
        self._arriving = self._in_head = True
        self._head_size = self._unfinished = 0
        self._url = b""
        self._path = self._query = ""
        self._headers: dict[str, str] = {}
        self._parts: list[bytes] = []
        self._size = 0
        self._refused = False

    def on_url(self, url: bytes) -> None:
        """A piece of its path and query."""
        self._url += url
        self._head_size += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of its headers."""
        self._head_size += len(name) + len(value)
        self._headers[name.lower().decode("latin-1")] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Its head is here: it may be refused without its body."""
        self._in_head = False
        self._method = self._parser.get_method().decode("ascii")
        if self._head_size > MOST_HEAD:
            # Before its path is read: what reads it takes no more than 64 KiB.
            self._refuse(self._app.long_head())
            return
        url = httptools.parse_url(self._url)
        path = url.path.decode("ascii")
        self._path = unquote(path) if "%" in path else path
        self._query = (url.query or b"").decode("latin-1")
        refusal = self._app.refuse(self._path, self._headers)
        if refusal is not None:
            self._refuse(refusal)
        elif self._headers.get("expect", "").lower() == "100-continue" and self._task is None:
            self._write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        """A piece of its body."""
        if self._refused or self._method in _WITHOUT_BODY:
            return
        self._size += len(body)
        if self._size > MOST_BODY:
            self._refuse(self._app.too_large())
        else:
            self._parts.append(body)

    def on_message_complete(self) -> None:
        """All of it is here."""
        self._arriving = False
        if not self._refused:
            self._take(b"".join(self._parts), None)
        elif self._task is None:
            self._patience.await_next()

    def _refuse(self, refusal: Response) -> None:
        """Answer at once; the rest of the body is read and dropped."""
        self._refused = True
        self._parts.clear()
        self._take(b"", refusal)

    def _take(self, body: bytes, refusal: Response | None) -> None:
        query = parse_query(self._query)
        request = Request(self._method, self._path, self._query, query, self._headers, body)
        keep = self._parser.should_keep_alive()
        self._waiting.append(_Asked(request, keep, refusal))
        if not self._arriving:
            self._patience.await_nothing()
        if self._task is None:
            self._task = self._loop.create_task(self._work())
        elif not self._reads_no_more:
            self._reads_no_more = True
            self._transport.pause_reading()

    async def _work(self) -> None:
        """Answer what waits, in order."""
        try:
            while self._waiting and not self._over:
                await self._answer(self._waiting.popleft())
        except Exception:
            _log.exception("an answer broke off")
            self._transport.abort()
        finally:
            self._task = None
        self._go_on()

    async def _answer(self, asked: _Asked) -> None:
        self._keep = asked.keep and not self._ending
        self._without_body = asked.request.method == "HEAD"
        if asked.refusal is not None:
            self.send(asked.refusal)
        else:
            if asked.request.method in _WITHOUT_BODY:
                await self._unread.room()
            await self._app.serve(asked.request, self)
        if self._keep and not self._ending:
            await self._until_drained()
        else:
            self._close()

    def _go_on(self) -> None:
        """Wait for the next request."""
        if self._over:
            return
        if self._reads_no_more:
            self._reads_no_more = False
            self._transport.resume_reading()
        if not self._arriving:
            self._patience.await_next()

    def _write(self, data: bytes) -> None:
        if not self._lost:
            self._transport.write(data)
            self._unread.sent(self._client, len(data))

    async def _until_drained(self) -> None:
        if self._drained is not None:
            await self._drained

    def _break_off(self, why: str, status: int = 400) -> None:
        """Refuse what is no request, and close."""
        if not self._over:
            refusal = Response(status, f"{why}\n".encode(), PLAIN_TEXT)
            self._write(head_of(refusal, keep=False) + refusal.body)
            self._close()

    def _close(self) -> None:
        self._over = True
        self._transport.close()

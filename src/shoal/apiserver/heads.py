"""Heads of answers as bytes; what two answers have in common is put together once."""

import functools
from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

from shoal.apiserver.http import Response, Stream

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_CACHE_CONTROL: Final = b"cache-control: no-cache, private\r\n"
_REMEMBERED: Final = 64


def head_of(response: Response, *, keep: bool) -> bytes:
    """The head of a whole answer; ``keep``: the connection stays open after it."""
    opening = _opening(response.status, response.content_type, keep)
    length = b"content-length: %d\r\n" % len(response.body)
    if not response.headers:
        return b"%b%b%b\r\n" % (opening, _CACHE_CONTROL, length)
    own = _lines(response.headers)
    cached = b"" if any(name == "cache-control" for name, _ in response.headers) else _CACHE_CONTROL
    return b"%b%b%b%b\r\n" % (opening, cached, length, own)


def head_of_stream(stream: Stream, *, keep: bool) -> bytes:
    """The head of an answer in chunks."""
    opening = _opening(stream.status, stream.content_type, keep)
    own = _lines(stream.headers)
    return b"%b%b%btransfer-encoding: chunked\r\n\r\n" % (opening, _CACHE_CONTROL, own)


@functools.lru_cache(maxsize=_REMEMBERED)
def _opening(status: int, content_type: str, keep: bool) -> bytes:
    """Status line, type, and whether the connection ends."""
    line = f"HTTP/1.1 {status} {_phrase(status)}\r\n".encode()
    closing = () if keep else (("connection", "close"),)
    return line + _lines((("content-type", content_type), *closing))


def _lines(headers: Iterable[tuple[str, str]]) -> bytes:
    return "".join(f"{name}: {value}\r\n" for name, value in headers).encode("latin-1", "replace")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""

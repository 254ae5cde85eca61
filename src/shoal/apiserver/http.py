"""Requests and answers as the verbs see them, apart from bytes."""

from collections.abc import AsyncGenerator, Mapping
from typing import Final
from urllib.parse import parse_qsl

import msgspec

from shoal.dialect.document import Json
from shoal.dialect.status import StatusError, bad_request

JSON: Final = "application/json"
PLAIN_TEXT: Final = "text/plain; charset=utf-8"
_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"", "0", "f", "F", "false", "FALSE", "False"})
_NUMBERS: Final = 2**63
_LONGEST: Final = 20
"""Characters of a number below that."""

encode_json: Final = msgspec.json.Encoder().encode


class Request(msgspec.Struct, frozen=True):
    """One request with its whole body. Header names are lower case."""

    method: str
    path: str
    query_string: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""

    def flag(self, name: str) -> bool:
        """A yes-or-no query parameter. Raises StatusError."""
        value = self.query.get(name, "")
        if value not in _TRUE and value not in _FALSE:
            raise bad_request(f"{name}={value} is neither true nor false")
        return value in _TRUE

    def number(self, name: str) -> int | None:
        """A whole number in the query; None when absent. Raises StatusError."""
        text = self.query.get(name, "")
        if not text:
            return None
        whole = text.isascii() and text.removeprefix("-").isdigit() and len(text) <= _LONGEST
        if not whole or not -_NUMBERS <= (number := int(text)) < _NUMBERS:
            raise bad_request(f"{name}={text[:40]} is not a whole number of 64 bits")
        return number

    @property
    def content_type(self) -> str:
        """As sent; empty when absent."""
        return self.headers.get("content-type", "")


def parse_query(text: str) -> dict[str, str]:
    """Query parameters; of a repeated one the first counts."""
    if not text:
        return {}
    query: dict[str, str] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        query.setdefault(name, value)
    return query


class Response(msgspec.Struct, frozen=True):
    """A whole answer."""

    status: int
    body: bytes
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


class Stream(msgspec.Struct, frozen=True):
    """An answer that goes on: a watch or a log."""

    chunks: AsyncGenerator[bytes]
    content_type: str = JSON
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


Answer = Response | Stream


def answer(document: Json, status: int = 200, warnings: tuple[str, ...] = ()) -> Response:
    """A JSON answer."""
    return Response(status, encode_json(document), headers=warning_headers(warnings))


def page_not_found() -> Response:
    """The answer outside of what is served: no Status, as the real server has it."""
    return Response(404, b"404 page not found\n", PLAIN_TEXT)


def refusal(error: StatusError) -> Response:
    """The answer to a refused request."""
    headers: tuple[tuple[str, str], ...] = ()
    if error.details is not None and error.details.retry_after_seconds:
        headers = (("retry-after", str(error.details.retry_after_seconds)),)
    return Response(error.code, encode_json(error.to_object()), headers=headers)


def warned(told: Answer, warning: str) -> Answer:
    """An answer with one more warning."""
    return msgspec.structs.replace(told, headers=(*told.headers, *warning_headers((warning,))))


def warning_headers(warnings: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Warnings as clients print them (RFC 7234, code 299)."""
    return tuple(("warning", f'299 - "{_quoted(text)}"') for text in warnings)


def _quoted(text: str) -> str:
    plain = text.encode("ascii", "replace").decode().replace("\n", " ")
    return plain.replace("\\", "\\\\").replace('"', '\\"')

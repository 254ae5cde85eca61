"""A transport that sends the head of an answer together with the body that follows at once.

uvicorn hands them over one by one; encrypting and sending them as one saves a system call and a
TLS record for each answer.
"""

import asyncio
from typing import Any, Final

_MOST_JOINED: Final = 64 * 1024


class Joined:
    """Holds a head back until its body comes, at most to the end of this turn of the loop."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the transport has
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send, after the head if there is one."""
        head, self._head = self._head, b""
        if not head and data.startswith(b"HTTP/1.1 2") and data.endswith(b"\r\n\r\n"):
            self._head = data
            self._loop.call_soon(self._flush)
        elif len(data) <= _MOST_JOINED:
            self._transport.write(head + data)
        else:
            self._transport.write(head)
            self._transport.write(data)

    def close(self) -> None:
        """Send what is held back, then close."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        head, self._head = self._head, b""
        if head:
            self._transport.write(head)

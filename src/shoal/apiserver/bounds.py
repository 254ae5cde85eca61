"""HTTP with bounds that uvicorn's own has not: on heads, on waiting, and on connections.

What a client may hold without asking for anything is small and comes to an end, so that many
of them cannot keep others out.
"""

import asyncio
import resource
import socket
import struct
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from shoal.apiserver.joined import Joined

_MOST_HEAD: Final = 64 * 1024
_REQUEST_WITHIN_S: Final = 60
READ_WITHIN_S: Final = 30
_TCP_INFO: Final = struct.Struct("120xQ")
_MOST_CONNECTIONS: Final = 10_000
_OTHER_FILES: Final = 256
"""Files that the server opens besides connections: store, logs, its own requests to agents."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection. It is cut off when a head is too long or a request too slow in coming.

    So is a client that reads nothing of what waits for it: a watch that is cut off resumes from
    the last version that it saw. An answer that nobody has read by the end of the idle time is
    dropped with it, and a connection beyond the bound is not served at all.
    """

    _in_head = False
    _in_request = False
    _head_bytes = 0
    _request_timer: asyncio.TimerHandle | None = None
    _reader_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            transport.abort()
            return
        self.transport = Joined(transport, self.loop)  # type: ignore[assignment]
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._request_is_here()
        self._reader_goes_on()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes from the client."""
        super().data_received(data)
        if self._in_request:
            self._await_request()
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > _MOST_HEAD and not self.transport.is_closing():
                self.send_400_response(f"the request head is larger than {_MOST_HEAD} bytes")

    def on_message_begin(self) -> None:
        """A request begins."""
        self._in_request, self._in_head, self._head_bytes = True, True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Its headers are complete."""
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """All of it is here."""
        self._in_request = False
        self._request_is_here()
        super().on_message_complete()

    def pause_writing(self) -> None:
        """The client does not read what there is for it."""
        super().pause_writing()
        self._await_reader(self._taken())

    def resume_writing(self) -> None:
        """It has read."""
        self._reader_goes_on()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing was asked for long: go, and do not wait for a reader that does not read."""
        self.transport.abort()

    def _await_request(self) -> None:
        if self._request_timer is None:
            self._request_timer = self.loop.call_later(_REQUEST_WITHIN_S, self.transport.abort)

    def _await_reader(self, taken: int) -> None:
        """Cut off a client that takes nothing at all for a while; it may come back."""

        def look() -> None:
            if (now := self._taken()) == taken:
                self.transport.abort()
            else:
                self._await_reader(now)

        self._reader_timer = self.loop.call_later(READ_WITHIN_S, look)

    def _reader_goes_on(self) -> None:
        if self._reader_timer is not None:
            self._reader_timer.cancel()
            self._reader_timer = None

    def _taken(self) -> int:
        """How many bytes the client has acknowledged (``tcpi_bytes_acked`` of tcp(7))."""
        client: socket.socket = self.transport.get_extra_info("socket")
        try:
            about = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
        except OSError:
            return 0
        return int(_TCP_INFO.unpack(about)[0])

    def _request_is_here(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None


def most_connections() -> int:
    """As many as the files that this process may open allow, and no more than a box needs."""
    return min(_MOST_CONNECTIONS, _open_files() - _OTHER_FILES)


def allow_open_files() -> None:
    """Take the right to as many open files as the connections need, where there is one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(hard, _MOST_CONNECTIONS + _OTHER_FILES)
    if wanted > _open_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _open_files() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]

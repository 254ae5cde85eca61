"""HTTP with a bound on request heads; uvicorn's own has none."""

from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_MOST_HEAD: Final = 64 * 1024


class BoundedProtocol(HttpToolsProtocol):
    """Refuses a request whose line and headers go on beyond 64 KiB."""

    _in_head = False
    _head_bytes = 0

    def data_received(self, data: bytes) -> None:
        """Bytes from the client."""
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > _MOST_HEAD and not self.transport.is_closing():
                self.send_400_response(f"the request head is larger than {_MOST_HEAD} bytes")

    def on_message_begin(self) -> None:
        """A request begins."""
        self._in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Its headers are complete."""
        self._in_head = False
        super().on_headers_complete()

"""A way to a server that can be shut and opened again elsewhere, as a box that is restarted."""

import contextlib
import socket
import threading


class Gate:
    """Passes connections to 127.0.0.1:``target`` on; ``port`` changes whenever it is opened."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._open: list[socket.socket] = []
        self.port = 0

    def open(self) -> None:
        """Listen on a new port."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self._open = [listener]
        threading.Thread(target=self._accept, args=[listener, self._open], daemon=True).start()

    def shut(self) -> None:
        """Break every connection, and refuse new ones."""
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self, listener: socket.socket, held: list[socket.socket]) -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._target))
            held += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=_pass_on, args=pair, daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)

"""Which port the API server of a box takes."""

import socket
from typing import Final

from shoal.cli.box.errors import BoxError

DEFAULT_PORT: Final = 7470


def check_free(port: int) -> None:
    """Raises BoxError where something listens on the port already; 0 is always free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise BoxError(
                f"port {port} cannot be used ({error.strerror}); "
                f"choose another: shoal up --port {port + 1}, or --port 0 for any"
            ) from None

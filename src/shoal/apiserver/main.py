"""Running the server: a home in, a ready port out."""

import asyncio
import contextlib
import errno
import signal
import socket
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

import uvicorn

from shoal.apiserver.app import App
from shoal.apiserver.auth import Guard
from shoal.apiserver.bounds import BoundedProtocol, allow_open_files
from shoal.apiserver.definitions import Definitions
from shoal.apiserver.history import Bounds
from shoal.apiserver.kinds.builtin import BUILTIN
from shoal.apiserver.kinds.own import OWN
from shoal.apiserver.log import Log
from shoal.apiserver.registry import Registry
from shoal.apiserver.server import Server
from shoal.apiserver.store import Store
from shoal.apiserver.tls import (
    Certificates,
    SecretDamaged,
    ensure_certificates,
    ensure_token,
    write_kubeconfig,
)

_SWITCH_S: Final = 0.0005
"""The writer, back from the disk, waits no longer for its turn; Python's own is ten times that."""
_ADDRESS: Final = "127.0.0.1"
_GRACE_S: Final = 1
_LONGEST_SHUTDOWN_S: Final = 5


class StartError(Exception):
    """The server cannot start: one sentence with the remedy."""


class PortTaken(StartError):
    """Something else listens there."""


class HomeUnwritable(StartError):
    """The home cannot be made or written."""


async def serve(home: Path, port: int, bounds: Bounds, *, ready: Callable[[int], None]) -> None:
    """Serve a home on loopback until told to stop by SIGINT or SIGTERM; port 0 takes a free one.

    ``ready`` is called with the port once requests are answered. Raises StartError or
    StoreError, and then nothing was changed.
    """
    allow_open_files()
    listener = _listen(port)
    try:
        certificates, token = _prepare(home)
        store = Store(Log(home / "store.db"), bounds)
    except BaseException:
        listener.close()
        raise
    sys.setswitchinterval(_SWITCH_S)
    store.start()
    try:
        server = Server(store, Registry((*BUILTIN, *OWN)), home, Guard(token))
        definitions = Definitions(server)
        definitions.start()
        app = App(server)
        bound = listener.getsockname()[1]
        _tell_clients(home, bound, certificates, token)
        await _Uvicorn(_config(app, certificates), app, lambda: ready(bound)).serve([listener])
    finally:
        store.stop()


class _Uvicorn(uvicorn.Server):
    """Tells when it is ready, and ends streams before it waits for connections to close."""

    def __init__(self, config: uvicorn.Config, app: App, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.stop()
        asyncio.get_running_loop().call_later(_GRACE_S, self._cut_off)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """End in order, and with exit code 0: uvicorn would raise the signal again."""
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        for number in signals:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def _cut_off(self) -> None:
        """Drop who does not close: a TLS client that reads nothing would be waited for."""
        for connection in tuple(self.server_state.connections):
            connection.transport.abort()


def _config(app: App, certificates: Certificates) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ssl_certfile=str(certificates.certificate),
        ssl_keyfile=str(certificates.key),
        backlog=2048,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=_LONGEST_SHUTDOWN_S,
    )


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_ADDRESS, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"port {port} is taken by another program; stop it, or choose another with --port"
            ) from error
        raise PortTaken(f"port {port} cannot be used ({error.strerror}); choose another") from error
    return listener


def _prepare(home: Path) -> tuple[Certificates, str]:
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        return ensure_certificates(home), ensure_token(home)
    except SecretDamaged as error:
        raise StartError(str(error)) from error
    except OSError as error:
        raise _unwritable(home, error) from error


def _tell_clients(home: Path, port: int, certificates: Certificates, token: str) -> None:
    try:
        write_kubeconfig(home, port, certificates.authority, token)
    except OSError as error:
        raise _unwritable(home / "kubeconfig", error) from error


def _unwritable(path: Path, error: OSError) -> HomeUnwritable:
    return HomeUnwritable(
        f"{path} cannot be written ({error.strerror}); give yourself the right, "
        "or set SHOAL_HOME to another folder"
    )

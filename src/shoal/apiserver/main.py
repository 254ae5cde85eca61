"""Running the server: a home in, a ready port out."""

import errno
import socket
import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from shoal.apiserver.app import App
from shoal.apiserver.auth import Guard
from shoal.apiserver.bounds import allow_open_files
from shoal.apiserver.definitions import Definitions
from shoal.apiserver.history import Bounds
from shoal.apiserver.kinds.builtin import BUILTIN
from shoal.apiserver.kinds.own import OWN
from shoal.apiserver.listening import answer_clients
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


class StartError(Exception):
    """The server cannot start: one sentence with the remedy."""


class PortTaken(StartError):
    """Something else listens there."""


class HomeUnwritable(StartError):
    """The home cannot be made or written."""


async def serve(home: Path, port: int, bounds: Bounds, *, ready: Callable[[int], None]) -> None:
    """Serve a home on loopback until cancelled; port 0 takes a free one.

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
        try:
            bound = listener.getsockname()[1]
            _tell_clients(home, bound, certificates, token)
            context = _context(certificates)
            await answer_clients(App(server), listener, context, lambda: ready(bound))
        finally:
            definitions.stop()
    finally:
        store.stop()


def _context(certificates: Certificates) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.certificate, certificates.key)
    return context


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

"""What a home keeps secret: certificates, the token, and the kubeconfig that carries both."""

import base64
import contextlib
import json
import os
import re
import secrets
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

_TOKEN: Final = re.compile(r"[!-~]{16,}\Z")


class SecretDamaged(Exception):
    """A file of the home's secrets is of no use: one sentence with the remedy."""


class Certificates(msgspec.Struct, frozen=True):
    """Where they lie."""

    authority: Path
    certificate: Path
    key: Path


def ensure_certificates(home: Path) -> Certificates:
    """The home's certificates, made on first use. Raises OSError or SecretDamaged."""
    folder = home / "tls"
    if folder.exists() and not folder.is_dir():
        raise SecretDamaged(f"{folder} is no folder; remove it to have it made anew")
    paths = Certificates(folder / "ca.crt", folder / "server.crt", folder / "server.key")
    if not all(path.exists() for path in (paths.authority, paths.certificate, paths.key)):
        from shoal.apiserver.certificates import make_certificates

        made = make_certificates()
        folder.mkdir(mode=0o700, exist_ok=True)
        write_private(folder / "ca.key", made.authority_key)
        write_private(paths.authority, made.authority)
        write_private(paths.key, made.server_key)
        write_private(paths.certificate, made.server)
    _check_certificates(paths)
    return paths


def ensure_token(home: Path) -> str:
    """The home's bearer token, made on first use. Raises OSError or SecretDamaged."""
    path = home / "token"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32).encode() + b"\n")
    with _read_or_told(path, path):
        token = path.read_text("latin-1").strip()
    if not _TOKEN.match(token):
        raise SecretDamaged(f"{path} is damaged; remove {path} to have it made anew")
    return token


def write_kubeconfig(home: Path, port: int, authority: Path, token: str) -> Path:
    """``kubeconfig`` in the home, for kubectl and for every component. Raises OSError.

    One that says the same already stays, so that a server comes back on a full disk.
    """
    cluster = {
        "server": f"https://127.0.0.1:{port}",
        "certificate-authority-data": base64.b64encode(authority.read_bytes()).decode(),
    }
    context = {"cluster": "shoal", "user": "shoal", "namespace": "default"}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "shoal",
        "clusters": [{"name": "shoal", "cluster": cluster}],
        "users": [{"name": "shoal", "user": {"token": token}}],
        "contexts": [{"name": "shoal", "context": context}],
    }
    path = home / "kubeconfig"
    content = json.dumps(document, indent=2).encode() + b"\n"
    if not _is_private(path, content):
        write_private(path, content)
    return path


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all. Raises OSError."""
    unfinished = path.with_name(f".{path.name}.new")
    unfinished.unlink(missing_ok=True)
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _is_private(path: Path, content: bytes) -> bool:
    """Whether a file holds this already, for its owner alone."""
    try:
        return path.stat().st_mode & 0o077 == 0 and path.read_bytes() == content
    except OSError:
        return False


def _check_certificates(paths: Certificates) -> None:
    """Whether they can be served with, before anything relies on it. Raises SecretDamaged."""
    folder = paths.authority.parent
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    for path in (paths.authority, paths.certificate, paths.key):
        with _read_or_told(path, folder):
            path.open("rb").close()
    with _read_or_told(paths.authority, folder):
        context.load_verify_locations(paths.authority)
    with _read_or_told(paths.certificate, folder):
        context.load_verify_locations(paths.certificate)
    with _read_or_told(paths.key, folder):
        # An empty password, so that a key that has one is refused and nobody is asked for it.
        context.load_cert_chain(paths.certificate, paths.key, password="")


@contextlib.contextmanager
def _read_or_told(path: Path, remove: Path) -> Iterator[None]:
    """What reading a secret raises, as a sentence that says what to remove."""
    remedy = f"remove {remove} to have it made anew"
    try:
        yield
    except ssl.SSLError as error:
        raise SecretDamaged(f"{path} is damaged; {remedy}") from error
    except OSError as error:
        raise SecretDamaged(f"{path} cannot be read ({error.strerror}); {remedy}") from error

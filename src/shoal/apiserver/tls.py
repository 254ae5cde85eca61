"""What a home keeps secret: certificates, the token, and the kubeconfig that carries both."""

import base64
import json
import os
import secrets
from pathlib import Path

import msgspec


class Certificates(msgspec.Struct, frozen=True):
    """Where they lie."""

    authority: Path
    certificate: Path
    key: Path


def ensure_certificates(home: Path) -> Certificates:
    """The home's certificates, made on first use. Raises OSError."""
    folder = home / "tls"
    paths = Certificates(folder / "ca.crt", folder / "server.crt", folder / "server.key")
    if not all(path.exists() for path in (paths.authority, paths.certificate, paths.key)):
        from shoal.apiserver.certificates import make_certificates

        made = make_certificates()
        folder.mkdir(mode=0o700, exist_ok=True)
        write_private(folder / "ca.key", made.authority_key)
        write_private(paths.authority, made.authority)
        write_private(paths.key, made.server_key)
        write_private(paths.certificate, made.server)
    return paths


def ensure_token(home: Path) -> str:
    """The home's bearer token, made on first use. Raises OSError."""
    path = home / "token"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32).encode() + b"\n")
    return path.read_text().strip()


def write_kubeconfig(home: Path, port: int, authority: Path, token: str) -> Path:
    """``kubeconfig`` in the home, for kubectl and for every component. Raises OSError."""
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
    write_private(path, json.dumps(document, indent=2).encode() + b"\n")
    return path


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all. Raises OSError."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)

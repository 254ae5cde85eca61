"""Kubeconfig: which server, whose certificate authority, which token.

Reads the one-context files that shoal writes, and ordinary ones with a bearer token.
https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
"""

import base64
import os
import ssl
from pathlib import Path

import msgspec

from shoal.kube.errors import KubeconfigError


class Config(msgspec.Struct, frozen=True):
    """How to reach an API server. ``ca`` holds its certificate authority as PEM text.

    ``path`` is the kubeconfig that says so.
    """

    server: str
    token: str
    ca: str
    path: Path
    namespace: str = "default"


class _View(msgspec.Struct, rename="kebab"):
    """Base of the parts of the file that are read."""


class _Cluster(_View):
    server: str
    certificate_authority_data: str = ""
    certificate_authority: str = ""


class _NamedCluster(_View):
    name: str
    cluster: _Cluster


class _User(_View):
    token: str = ""


class _NamedUser(_View):
    name: str
    user: _User


class _Context(_View):
    cluster: str
    user: str
    namespace: str = "default"


class _NamedContext(_View):
    name: str
    context: _Context


class _File(_View):
    current_context: str
    clusters: list[_NamedCluster]
    users: list[_NamedUser]
    contexts: list[_NamedContext]


def home_path() -> Path:
    """Where this person's box keeps its files: ``$SHOAL_HOME``, else ``~/.shoal``; absolute."""
    return Path(os.environ.get("SHOAL_HOME") or Path.home() / ".shoal").absolute()


def load_config(path: Path | None = None) -> Config:
    """Read a kubeconfig: the one named, else the one of the home. Raises KubeconfigError."""
    path = path or home_path() / "kubeconfig"
    try:
        return _resolve(_decode(path.read_bytes()), path)
    except FileNotFoundError:
        raise KubeconfigError(
            f"no box answers at {path.parent} (not running?). Start one: shoal up"
        ) from None
    except NotADirectoryError:
        raise KubeconfigError(
            f"{path.parent} is no folder, so no box can live there; "
            "name another one: export SHOAL_HOME=~/.shoal"
        ) from None
    except OSError as error:
        told = f"{path} cannot be read ({error.strerror}); it belongs to whoever started the box"
        raise KubeconfigError(told) from None
    except (ValueError, StopIteration) as error:
        raise unusable(path, str(error) or "a name in it leads nowhere") from None


def tls_context(config: Config) -> ssl.SSLContext:
    """TLS that trusts the authority of a kubeconfig alone. Raises KubeconfigError."""
    try:
        return ssl.create_default_context(cadata=config.ca)
    except (ssl.SSLError, ValueError):
        wrong = "its certificate authority is no certificate"
        raise unusable(config.path, wrong) from None


def unusable(path: Path, wrong: str) -> KubeconfigError:
    """A kubeconfig that is there and of no use: what is wrong with it, and the remedy."""
    return KubeconfigError(
        f"{path} cannot be used ({wrong}); "
        "restart the box to have it written anew: shoal down, shoal up"
    )


def _decode(data: bytes) -> _File:
    # The file that shoal writes is JSON, which every YAML reader reads too: so the commands
    # that people wait for need no YAML parser.
    if data.lstrip().startswith(b"{"):
        return msgspec.json.decode(data, type=_File)
    import yaml

    try:
        return msgspec.convert(yaml.safe_load(data), type=_File)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = f" in line {mark.line + 1}" if mark is not None else ""
        raise ValueError(f"it is no YAML{at}") from None


def _resolve(file: _File, path: Path) -> Config:
    context = next(c.context for c in file.contexts if c.name == file.current_context)
    cluster = next(c.cluster for c in file.clusters if c.name == context.cluster)
    user = next(u.user for u in file.users if u.name == context.user)
    return Config(
        server=cluster.server.rstrip("/"),
        token=user.token,
        ca=_authority(cluster, path),
        path=path,
        namespace=context.namespace,
    )


def _authority(cluster: _Cluster, path: Path) -> str:
    try:
        if cluster.certificate_authority_data:
            return base64.b64decode(cluster.certificate_authority_data, validate=True).decode()
        return (path.parent / cluster.certificate_authority).read_text()
    except (OSError, ValueError):
        raise ValueError("its certificate authority cannot be read") from None

"""Rules of config maps and secrets."""

import base64
import re
from collections.abc import Iterator
from typing import Final

from shoal.apiserver.kinds.refuse import changed, refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.status import INVALID, REQUIRED, TOO_LONG, Cause

_KEY: Final = re.compile(r"[-._a-zA-Z0-9]{1,253}\Z")
_MOST_BYTES: Final = 1024 * 1024
_NEEDED_KEYS: Final = {
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}
_IMMUTABLE: Final = ("data", "binaryData", "immutable")


def admit_config_map(document: Document, world: World) -> list[str]:
    """Keys are file names, once each; binary values are base64."""
    _check_config_map(document)
    return []


def change_config_map(new: Document, old: Document) -> None:
    """As at creation; an immutable one stays as it is."""
    _check_config_map(new)
    if old.get("immutable"):
        refuse("", "ConfigMap", new, changed(new, old, _IMMUTABLE))


def admit_secret(document: Document, world: World) -> list[str]:
    """``stringData`` becomes base64 in ``data``."""
    _complete_secret(document)
    return []


def change_secret(new: Document, old: Document) -> None:
    """As at creation; an immutable one stays as it is."""
    _complete_secret(new)
    if old.get("immutable"):
        refuse("", "Secret", new, changed(new, old, _IMMUTABLE))


def _check_config_map(document: Document) -> None:
    data, binary = document.get("data") or {}, document.get("binaryData") or {}
    causes = [*_key_causes("data", data), *_key_causes("binaryData", binary)]
    causes += [
        Cause(INVALID, "is in binaryData as well", f"data[{key}]") for key in data if key in binary
    ]
    causes += _size_causes(sum(len(v.encode()) for v in (*data.values(), *binary.values())))
    refuse("", "ConfigMap", document, causes)


def _complete_secret(document: Document) -> None:
    data = document.get("data") or {}
    for key, value in (document.pop("stringData", None) or {}).items():
        data[key] = base64.b64encode(value.encode()).decode()
    if data:
        document["data"] = data
    kind = document["type"]
    causes = [*_key_causes("data", data)]
    causes += [
        Cause(REQUIRED, f"a secret of type {kind} needs it", f"data[{key}]")
        for key in _NEEDED_KEYS.get(kind, ())
        if key not in data
    ]
    causes += _size_causes(sum(len(value) * 3 // 4 for value in data.values()))
    refuse("", "Secret", document, causes)


def _key_causes(field: str, values: Document) -> Iterator[Cause]:
    for key in values:
        if not _KEY.match(key) or key in (".", ".."):
            told = "a key is a file name: letters, digits, '-', '_' and '.'; example: app.conf"
            yield Cause(INVALID, told, f"{field}[{key}]")


def _size_causes(size: int) -> Iterator[Cause]:
    if size > _MOST_BYTES:
        yield Cause(TOO_LONG, f"{size} bytes in all; at most {_MOST_BYTES}", "[]")

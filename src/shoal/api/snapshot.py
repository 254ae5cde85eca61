"""A snapshot of a folder: what was in it, by content.

A snapshot is known by the SHA-256 of its manifest, the JSON list of its entries in the order
of their paths. The manifest and every file lie in the home's store under
``objects/<first two digits>/<the 64 digits>``, so equal files are kept once.
"""

import hashlib
from pathlib import Path
from typing import Final

import msgspec

PREFIX: Final = "sha256:"


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file (``hash`` of its content), a symbolic link (``link``) or, with neither, a folder.

    ``path`` is relative with ``/`` between its parts; ``mode`` holds the permission bits.
    """

    path: str
    mode: int
    hash: str = ""
    link: str = ""


def encode_manifest(entries: list[Entry]) -> bytes:
    """The bytes whose hash names the snapshot."""
    return msgspec.json.encode(sorted(entries, key=lambda entry: entry.path))


def decode_manifest(data: bytes) -> list[Entry]:
    """The entries of a manifest. Raises msgspec.DecodeError where it is none."""
    return msgspec.json.decode(data, type=list[Entry])


def digest(data: bytes) -> str:
    """The name of a content: 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def object_path(home: Path, name: str) -> Path:
    """Where a content of that name lies in a home's store."""
    return home / "store" / "objects" / name[:2] / name

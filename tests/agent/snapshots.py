"""Snapshots of code in a home, as ``shoal run`` leaves them there."""

import hashlib
from pathlib import Path

from shoal.api.snapshot import PREFIX, Entry, encode_manifest, object_path


def store(home: Path, data: bytes) -> str:
    name = hashlib.sha256(data).hexdigest()
    path = object_path(home, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return name


def snapshot(home: Path) -> str:
    entries = [
        Entry(
            "train.sh", 0o755, hash=store(home, b"#!/bin/sh\necho trained; echo spoilt > data/x\n")
        ),
        Entry("data", 0o755),
        Entry("data/x", 0o644, hash=store(home, b"original")),
        Entry("link", 0o777, link="data/x"),
    ]
    return PREFIX + store(home, encode_manifest(entries))

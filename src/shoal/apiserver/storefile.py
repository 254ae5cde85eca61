"""The file that holds the objects: its layout, its format, and whether it is whole.

A store is an SQLite database with our mark. Each row carries a checksum of its own, since
SQLite notices a damaged page only where its structure is hurt.
"""

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

FORMAT: Final = 2
"""Version of the layout below, kept in SQLite's ``user_version``."""

FIRST_SUMMED: Final = 2
"""The first format whose rows carry checksums."""

APPLICATION: Final = 0x53484F41
_LAYOUT: Final = """
CREATE TABLE log (
  revision INTEGER PRIMARY KEY,
  resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
  deleted INTEGER NOT NULL, data BLOB NOT NULL, crc INTEGER
);
CREATE TABLE compaction (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), revision INTEGER);
INSERT INTO compaction VALUES (1, 0);
"""


class StoreError(Exception):
    """The store cannot be used; one sentence with the remedy."""


class StoreNewer(StoreError):
    """A later version of shoal wrote it."""


class StoreDamaged(StoreError):
    """It is no database, or not a whole one. ``why``: what is wrong with it."""

    def __init__(self, sentence: str, why: str = "") -> None:
        super().__init__(sentence)
        self.why = why


class StoreForeign(StoreDamaged):
    """It does not have our mark, as whatever shoal did not write."""


class StoreUnwritable(StoreError):
    """The file system does not let us."""


class StoreBusy(StoreError):
    """Another API server serves it."""


class Record(NamedTuple):
    """One version of one object. ``deleted``: the last state of an object that went."""

    revision: int
    resource: str
    namespace: str
    name: str
    deleted: bool
    data: bytes


class Head(NamedTuple):
    """What a store says of itself. ``damage``: what SQLite finds wrong with it, or "ok"."""

    mark: int
    format: int
    damage: str


def checksum(record: Record) -> int:
    """CRC-32 of a row: of its data, and of whose data it is."""
    revision, resource, namespace, name, deleted, data = record
    whose = f"{revision}\0{resource}\0{namespace}\0{name}\0{deleted:d}"
    return zlib.crc32(data, zlib.crc32(whose.encode()))


def check(path: Path) -> int:
    """Look at an existing store without writing to it; its format. Raises StoreError or OSError.

    A store is made whole or not at all, so one without our mark was damaged, even if empty.
    """
    if path.is_dir():
        raise StoreDamaged(f"{path} is a folder, not a store; move it away to start empty")
    path.open("rb").close()
    try:
        with closing(open_to_read(path)) as database:
            head = _head(database)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise _foreign(path, error) from error
        raise damaged(path, error) from error
    if head.mark != APPLICATION:
        raise _foreign(path, "it is no store of shoal")
    if head.format > FORMAT:
        raise StoreNewer(
            f"{path} was written by a newer shoal (format {head.format}, this one reads {FORMAT}); "
            "install that version, or start with another SHOAL_HOME"
        )
    if head.damage != "ok":
        raise damaged(path, head.damage)
    return head.format


def make(path: Path) -> None:
    """An empty store, under its name only once it is whole. Raises StoreError or OSError."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreDamaged(
            f"{path} is gone and {log.name} is left of it; restore both from a copy, "
            f"or move {log.name} away to start empty"
        )
    unfinished = path.with_name(f".{path.name}.new")
    make_empty(unfinished)
    with closing(sqlite3.connect(unfinished, isolation_level=None)) as database:
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.executescript(
            f"BEGIN; {_LAYOUT} PRAGMA application_id = {APPLICATION};"
            f"PRAGMA user_version = {FORMAT}; COMMIT;"
        )
    unfinished.replace(path)
    sync_folder(path.parent)


def records(database: sqlite3.Connection, path: Path) -> Iterator[Record]:
    """Every row in order of revision, its checksum compared. Raises StoreDamaged.

    Also of an older format, where there are checksums to compare only since ``FIRST_SUMMED``.
    """
    summed = database.execute("PRAGMA user_version").fetchone()[0] >= FIRST_SUMMED
    columns = "revision, resource, namespace, name, deleted, data"
    columns += ", crc" if summed else ", NULL"
    try:
        for *values, found in database.execute(f"SELECT {columns} FROM log ORDER BY 1"):  # noqa: S608
            record = Record(*values)
            if summed and found != checksum(record):
                raise damaged(path, f"row {record.revision} is not what was written")
            yield record
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, also to a store that a server is writing to."""
    return sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True, isolation_level=None)


def compacted(database: sqlite3.Connection) -> int:
    """The revision up to which history is gone."""
    return int(database.execute("SELECT revision FROM compaction").fetchone()[0])


def damaged(path: Path, why: object) -> StoreDamaged:
    """The error for a store that is not whole."""
    told = " ".join(str(why).split())
    return StoreDamaged(
        f"{path} is damaged ({told}); restore it from a copy, or move it away to start empty", told
    )


def make_empty(path: Path) -> None:
    """An empty private file, to get its real name once it is whole."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def sync_folder(folder: Path) -> None:
    """Make durable which names a folder holds."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _foreign(path: Path, why: object) -> StoreForeign:
    told = damaged(path, why)
    return StoreForeign(str(told), told.why)


def _head(database: sqlite3.Connection) -> Head:
    """Raises sqlite3.Error."""
    mark, version, damage = (
        database.execute(f"PRAGMA {asked}").fetchone()[0]
        for asked in ("application_id", "user_version", "quick_check(1)")
    )
    if mark == APPLICATION and version <= FORMAT and damage == "ok":
        database.execute("SELECT revision FROM log LIMIT 1")
        if database.execute("SELECT revision FROM compaction").fetchone() is None:
            damage = "its compaction is missing"
    return Head(mark, version, damage)


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")

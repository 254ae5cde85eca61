"""The log on disk: every version of every object, one row a write, in SQLite.

An object's state is its latest row; the rows of the kept window are also the watch history, so
that one insert is all that a write costs. A row that is superseded before the window, or that
says "deleted" before it, is dropped when the window moves on.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

FORMAT: Final = 1
"""Version of the layout below, kept in SQLite's ``user_version``."""

_APPLICATION: Final = 0x53484F41
_LAYOUT: Final = """
CREATE TABLE log (
  revision INTEGER PRIMARY KEY,
  resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
  deleted INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE TABLE compaction (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), revision INTEGER);
INSERT INTO compaction VALUES (1, 0);
"""


class StoreError(Exception):
    """The store cannot be used; one sentence with the remedy."""


class StoreNewer(StoreError):
    """A later version of shoal wrote it."""


class StoreDamaged(StoreError):
    """It is no database, or not a whole one."""


class StoreUnwritable(StoreError):
    """The file system does not let us."""


class Record(NamedTuple):
    """One version of one object. ``deleted``: the last state of an object that went."""

    revision: int
    resource: str
    namespace: str
    name: str
    deleted: bool
    data: bytes


class Log:
    """One connection. Reading is for the start; after it only the writer thread may call."""

    def __init__(self, path: Path) -> None:
        """Open or make the store. Raises StoreError."""
        self._path = path
        try:
            if path.exists():
                _check(path)
            else:
                _make(path)
            self._database = _open(path)
        except (sqlite3.Error, OSError) as error:
            raise StoreUnwritable(
                f"{path} cannot be written ({error}); free the disk or give its owner the right"
            ) from error

    def compacted(self) -> int:
        """The revision up to which history is gone."""
        row = self._database.execute("SELECT revision FROM compaction").fetchone()
        return int(row[0])

    def records(self) -> Iterator[Record]:
        """Every row in order of revision. Raises StoreDamaged."""
        query = "SELECT revision, resource, namespace, name, deleted, data FROM log ORDER BY 1"
        try:
            for row in self._database.execute(query):
                yield Record(row[0], row[1], row[2], row[3], bool(row[4]), row[5])
        except sqlite3.DatabaseError as error:
            raise _damaged(self._path, error) from error

    def append(self, records: Sequence[Record], drop: Iterable[int], compacted: int) -> None:
        """Write durably, all or nothing: on return it survives loss of power.

        ``drop`` are revisions that nothing needs any more. Raises sqlite3.Error, and then
        nothing of it was written.
        """
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            database.executemany("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)", records)
            database.executemany("DELETE FROM log WHERE revision = ?", ((r,) for r in drop))
            if compacted:
                database.execute("UPDATE compaction SET revision = ?", (compacted,))
            database.execute("COMMIT")
        except sqlite3.Error:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Fold the write-ahead log into the file and close it."""
        self._database.close()


def _check(path: Path) -> None:
    """Look at an existing store without writing to it. Raises StoreError or OSError.

    A store is made whole or not at all, so one without our mark was damaged, even if empty.
    """
    if path.is_dir():
        raise StoreDamaged(f"{path} is a folder, not a store; move it away to start empty")
    path.open("r+b").close()
    try:
        mark, version, damage = _read_state(path)
    except sqlite3.DatabaseError as error:
        raise _damaged(path, error) from error
    if mark != _APPLICATION:
        raise _damaged(path, "it is no store of shoal")
    if version > FORMAT:
        raise StoreNewer(
            f"{path} was written by a newer shoal (format {version}, this one reads {FORMAT}); "
            "install that version, or start with another SHOAL_HOME"
        )
    if damage != "ok":
        raise _damaged(path, damage)


def _read_state(path: Path) -> tuple[int, int, str]:
    """The mark, the version, and "ok" or what is wrong. Raises sqlite3.Error."""
    database = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)
    try:
        mark, version, damage = (
            database.execute(f"PRAGMA {asked}").fetchone()[0]
            for asked in ("application_id", "user_version", "quick_check(1)")
        )
        if mark == _APPLICATION and version == FORMAT and damage == "ok":
            database.execute("SELECT revision FROM log LIMIT 1")
            if database.execute("SELECT revision FROM compaction").fetchone() is None:
                damage = "its compaction is missing"
    finally:
        database.close()
    return mark, version, damage


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _damaged(path: Path, why: object) -> StoreDamaged:
    told = " ".join(str(why).split())
    return StoreDamaged(
        f"{path} is damaged ({told}); restore it from a copy, or move it away to start empty"
    )


def _make(path: Path) -> None:
    """An empty store, under its name only once it is whole. Raises sqlite3.Error or OSError."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        raise StoreDamaged(
            f"{path} is gone and {log.name} is left of it; restore both from a copy, "
            f"or move {log.name} away to start empty"
        )
    unfinished = path.with_name(f".{path.name}.new")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    database = sqlite3.connect(unfinished, isolation_level=None)
    try:
        database.executescript(
            f"BEGIN; {_LAYOUT} PRAGMA application_id = {_APPLICATION};"
            f"PRAGMA user_version = {FORMAT}; COMMIT;"
        )
    finally:
        database.close()
    unfinished.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _open(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    return database

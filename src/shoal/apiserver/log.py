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
        if path.exists():
            _check(path)
        self._path = path
        try:
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
    """Look at an existing store without writing to it."""
    try:
        database = sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)
        try:
            version = database.execute("PRAGMA user_version").fetchone()[0]
            damage = database.execute("PRAGMA quick_check(1)").fetchone()[0]
        finally:
            database.close()
    except sqlite3.DatabaseError as error:
        raise _damaged(path, error) from error
    if version > FORMAT:
        raise StoreNewer(
            f"{path} was written by a newer shoal (format {version}, this one reads {FORMAT}); "
            "install that version, or start with another SHOAL_HOME"
        )
    if damage != "ok":
        raise _damaged(path, damage)


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _damaged(path: Path, why: object) -> StoreDamaged:
    told = " ".join(str(why).split())
    return StoreDamaged(
        f"{path} is damaged ({told}); restore it from a copy, or move it away to start empty"
    )


def _open(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    if database.execute("PRAGMA user_version").fetchone()[0] == 0:
        database.executescript(
            f"BEGIN; {_LAYOUT} PRAGMA application_id = {_APPLICATION};"
            f"PRAGMA user_version = {FORMAT}; COMMIT;"
        )
    return database

"""The log on disk: every version of every object, one row a write, in SQLite.

An object's state is its latest row; the rows of the kept window are also the watch history, so
that one insert is all that a write costs. A row that is superseded before the window, or that
says "deleted" before it, is dropped when the window moves on.
"""

import contextlib
import fcntl
import functools
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from shoal.apiserver import storefile
from shoal.apiserver.migrate import migrate
from shoal.apiserver.storefile import Record, StoreBusy, StoreUnwritable, checksum

_MOST_WAL_BYTES: Final = 4 * 1024 * 1024
_FREE_PAGES_KEPT: Final = 512
_PAGES_AT_ONCE: Final = 256
_ROWS_AT_ONCE: Final = 64
"""Rows in a statement: SQLite keeps one prepared for each number, so there are not too many."""
_DELETE: Final = "DELETE FROM log WHERE revision IN (SELECT value FROM json_each(?))"
_COMPACT: Final = "UPDATE compaction SET revision = ?"
_Statement = tuple[str, Sequence[object]]


class Log:
    """One connection. Reading is for the start; after it only the writer thread may call."""

    def __init__(self, path: Path) -> None:
        """Open or make the store, and bring an older one up to date. Raises StoreError."""
        self._path = path
        with contextlib.ExitStack() as opened:
            try:
                self._held = _hold(path.parent)
                opened.callback(os.close, self._held)
                self._database = _open(path)
            except (sqlite3.Error, OSError) as error:
                raise StoreUnwritable(
                    f"{path} cannot be written ({error}); free the disk or give its owner the right"
                ) from error
            opened.pop_all()

    def compacted(self) -> int:
        """The revision up to which history is gone."""
        return storefile.compacted(self._database)

    def records(self) -> Iterator[Record]:
        """Every row in order of revision. Raises StoreDamaged."""
        return storefile.records(self._database, self._path)

    def append(self, records: Sequence[Record], drop: Sequence[int], compacted: int) -> None:
        """Write durably, all or nothing: on return it survives loss of power.

        ``drop`` are revisions that nothing needs any more. Raises sqlite3.Error, and then
        nothing of it was written.
        """
        statements = [_insert(part) for part in _parts(records)]
        if drop:
            statements.append((_DELETE, (json.dumps(drop),)))
        if compacted:
            statements.append((_COMPACT, (compacted,)))
        if len(statements) == 1:
            self._database.execute(*statements[0])
        elif statements:
            self._together(statements)

    def _together(self, statements: Sequence[_Statement]) -> None:
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            for statement, values in statements:
                database.execute(statement, values)
            database.execute("COMMIT")
        except sqlite3.Error:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise

    def tidy(self) -> bool:
        """Hand some free pages back to the file system; whether there are more of them.

        A few stay for the next writes. Raises sqlite3.Error.
        """
        database = self._database
        free = database.execute("PRAGMA freelist_count").fetchone()[0] - _FREE_PAGES_KEPT
        if free <= 0:
            return False
        database.execute(f"PRAGMA incremental_vacuum({min(free, _PAGES_AT_ONCE)})").fetchall()
        if free > _PAGES_AT_ONCE:
            return True
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return False

    def close(self) -> None:
        """Fold the write-ahead log into the file and close it."""
        self._database.close()
        os.close(self._held)


def _parts(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    return (records[at : at + _ROWS_AT_ONCE] for at in range(0, len(records), _ROWS_AT_ONCE))


def _insert(records: Sequence[Record]) -> _Statement:
    """One statement for many rows: between two the thread would wait for the interpreter."""
    values: list[object] = []
    for record in records:
        values += record
        values.append(checksum(record))
    return _insertion(len(records)), values


@functools.cache
def _insertion(rows: int) -> str:
    return f"INSERT INTO log VALUES {', '.join(['(?, ?, ?, ?, ?, ?, ?)'] * rows)}"  # noqa: S608


def _hold(folder: Path) -> int:
    """Keep a second API server off, until the descriptor is closed. Raises StoreBusy, OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise StoreBusy(
            f"another API server serves {folder}; end it, or set SHOAL_HOME to another folder"
        ) from error
    return descriptor


def _open(path: Path) -> sqlite3.Connection:
    """Raises StoreError, sqlite3.Error or OSError."""
    if path.exists():
        found = storefile.check(path)
        path.open("r+b").close()
        migrate(path, found)
    else:
        storefile.make(path)
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute(f"PRAGMA journal_size_limit = {_MOST_WAL_BYTES}")
    return database

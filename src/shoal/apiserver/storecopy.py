"""Whole copies of a store: backups, also of one that a server is writing to, and the way back.

A copy holds the objects, the Secrets among them, and nothing that opens a running box: token,
certificates and kubeconfig belong to a home and are made anew in the next one.
"""

import contextlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from shoal.apiserver.storefile import (
    FIRST_SUMMED,
    StoreDamaged,
    StoreError,
    StoreForeign,
    StoreUnwritable,
    check,
    checksum,
    compacted,
    damaged,
    make_empty,
    open_to_read,
    records,
    sync_folder,
)
from shoal.apiserver.storelost import without_machines

_LEAP: Final = 1_000_000_000
"""How far a restored store jumps ahead: versions given out after the copy never come again."""


class FileTaken(StoreError):
    """There is a file of that name already."""


class NotABackup(StoreError):
    """A file that was named as a backup and is none."""


class Survey(NamedTuple):
    """What a whole store holds. ``revision`` is that of its last write."""

    format: int
    objects: int
    revision: int


def survey(path: Path) -> Survey:
    """Read all of a store without writing to it. Raises StoreError or OSError.

    Finds damage in SQLite's structure, in a row's content, and objects that are not JSON.
    """
    found = check(path)
    try:
        with closing(open_to_read(path)) as database:
            database.execute("BEGIN")
            wrong = database.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if wrong != "ok":
                raise damaged(path, wrong)
            objects, revision = _count(database, path)
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error
    return Survey(found, objects, revision)


def survey_backup(path: Path) -> Survey:
    """The same of a file that somebody named, told in the words of backups."""
    if path.is_dir():
        raise NotABackup(f"{path} is a folder; name the file that shoal backup wrote")
    try:
        return survey(path)
    except StoreForeign as error:
        raise NotABackup(
            f"{path} is not a backup of shoal; name the file that shoal backup wrote"
        ) from error
    except StoreDamaged as error:
        raise StoreDamaged(f"{path} is damaged ({error.why}); name another backup") from error


def copy(source: Path, target: Path) -> Survey:
    """A private, durable and verified copy as of one moment; never over an existing file.

    What the copy holds. Raises StoreError or OSError, and then there is no ``target``.
    """
    check(source)
    if target.exists():
        raise _taken(target)
    fresh = target.with_name(f".{target.name}.new")
    try:
        make_empty(fresh)
        _vacuum_into(source, fresh)
        held = survey(fresh)
        _name(fresh, target)
    except (sqlite3.Error, OSError) as error:
        raise StoreUnwritable(
            f"{target} cannot be written ({error}); free its disk, or name another folder"
        ) from error
    finally:
        fresh.unlink(missing_ok=True)
    return held


def restore(source: Path, target: Path) -> Survey:
    """Make a copy a home's store again; what it holds. Raises StoreError or OSError.

    Its nodes are gone, and what ran on them is told as lost. Its versions leap ahead and its
    history is forgotten, so that a client that saw what came after the copy is told to list
    again instead of going on with another past.
    """
    held = survey(source)
    fresh = target.with_name(f".{target.name}.restored")
    fresh.unlink(missing_ok=True)
    copy(source, fresh)
    try:
        with closing(sqlite3.connect(fresh, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            _forget_machines(database, fresh, held.revision)
            leap = held.revision + _LEAP
            database.execute("UPDATE compaction SET revision = ?", (leap,))
            database.execute("COMMIT")
        _name(fresh, target)
    finally:
        fresh.unlink(missing_ok=True)
    return held


def _forget_machines(database: sqlite3.Connection, path: Path, revision: int) -> None:
    summed = database.execute("PRAGMA user_version").fetchone()[0] >= FIRST_SUMMED
    for record in list(without_machines(records(database, path), revision)):
        row = (*record, checksum(record)) if summed else tuple(record)
        database.execute(f"INSERT INTO log VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608


def _name(fresh: Path, target: Path) -> None:
    """Let a finished file have its name too, unless something else has it. Raises FileTaken."""
    try:
        os.link(fresh, target)
    except FileExistsError as error:
        raise _taken(target) from error
    sync_folder(target.parent)


def _taken(target: Path) -> FileTaken:
    if target.is_dir():
        return FileTaken(f"{target} is a folder; name a file in it, such as {target}/box.shoal")
    if not target.is_file():
        return FileTaken(f"{target} is not a regular file; name a new one, such as box.shoal")
    return FileTaken(f"{target} is there already; name another file, or remove it first")


def _vacuum_into(source: Path, fresh: Path) -> None:
    with closing(open_to_read(source)) as database:
        database.execute("VACUUM INTO ?", (str(fresh),))
    with fresh.open("rb") as written:
        os.fsync(written.fileno())


def _count(database: sqlite3.Connection, path: Path) -> tuple[int, int]:
    """(objects that exist, last revision). Raises StoreDamaged for one that is not JSON."""
    present: set[tuple[str, str, str]] = set()
    revision = compacted(database)
    for record in records(database, path):
        revision = max(revision, record.revision)
        key = record[1:4]
        try:
            msgspec.json.decode(record.data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise damaged(path, f"row {record.revision} is no object: {error}") from error
        with contextlib.suppress(KeyError):
            present.remove(key)
        if not record.deleted:
            present.add(key)
    return len(present), revision

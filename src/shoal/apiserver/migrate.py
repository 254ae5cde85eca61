"""Older stores: a copy is kept beside the store, then it is brought to the present format.

Each step goes from one format to the next in one transaction that ends with the new number, so
that whatever ends the process leaves the old store or the new one.
"""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from shoal.apiserver.storecopy import copy
from shoal.apiserver.storefile import FORMAT, Record, checksum

Step = Callable[[sqlite3.Connection], None]


def migrate(path: Path, found: int) -> None:
    """Bring a store of format ``found`` to ``FORMAT``. Raises StoreError, OSError, sqlite3.Error.

    The copy is ``NAME.format-N``; one that is left of a migration that was cut off is made anew.
    """
    if found == FORMAT:
        return
    kept = path.with_name(f"{path.name}.format-{found}")
    fresh = path.with_name(f"{kept.name}.copied")
    fresh.unlink(missing_ok=True)
    copy(path, fresh)
    fresh.replace(kept)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for version in range(found, FORMAT):
            STEPS[version](database)


def _add_checksums(database: sqlite3.Connection) -> None:
    """Format 2: every row carries its checksum, and free pages can be handed back."""
    database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    database.execute("VACUUM")  # only this makes the line above true; the format stays 1
    database.create_function("checksum", 6, lambda *row: checksum(Record(*row)), deterministic=True)
    database.executescript(
        "BEGIN IMMEDIATE; ALTER TABLE log ADD COLUMN crc INTEGER;"
        "UPDATE log SET crc = checksum(revision, resource, namespace, name, deleted, data);"
        "PRAGMA user_version = 2; COMMIT;"
    )


STEPS: Final[Mapping[int, Step]] = {1: _add_checksums}
"""By the format that a step begins with."""

"""The thread that writes: takes what waits, commits it in one sync, reports back to the loop.

While one sync runs the next batch gathers, so a slow disk makes batches larger, not writes
slower one by one. Rows to drop wait until there are some, and the file is tidied while nothing
else is to be done.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final

import msgspec

from shoal.apiserver.log import Log
from shoal.apiserver.storefile import Record
from shoal.units.failpoint import failpoint

_log: Final = logging.getLogger(__name__)
_MOST_IN_A_BATCH: Final = 2048
_IDLE_S: Final = 1.0
_OWED_AT_ONCE: Final = 64
"""How much is dropped together while there is other work."""


class Job(msgspec.Struct, frozen=True):
    """Rows to write and revisions to drop. ``epoch`` counts the failures before it was made."""

    epoch: int
    records: tuple[Record, ...] = ()
    drop: tuple[int, ...] = ()
    compacted: int = 0


Committed = Callable[[int], None]
"""Told the last revision that is now durable."""
Failed = Callable[[int, str], None]
"""Told the epoch whose unwritten jobs are void, and why."""


class Writer:
    """Owns the log from ``start`` on. Reports through the event loop that started it.

    After a failed commit every job of that epoch is void, also those handed in meanwhile: they
    may build on what was lost. Jobs of the next epoch are written again. What is to be dropped
    was durable before it was handed in, so it is owed whatever fails.
    """

    def __init__(self, log: Log, committed: Committed, failed: Failed) -> None:
        self._log = log
        self._committed = committed
        self._failed = failed
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._void_epoch = -1
        self._owed: list[int] = []
        self._compacted = 0
        self._paid = 0
        self._untidy = True

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to write."""
        self._loop = loop
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Hand in a job; never blocks."""
        self._jobs.put(job)

    def stop(self) -> None:
        """Write what waits, close the log, and end."""
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        running = True
        while running:
            try:
                first = self._jobs.get(timeout=_IDLE_S if self._untidy else None)
            except Empty:
                self._tidy()
                continue
            batch, running = self._gather(first)
            self._write([job for job in batch if job.epoch > self._void_epoch])
        self._tidy()
        self._log.close()

    def _gather(self, job: Job | None) -> tuple[list[Job], bool]:
        """Everything that waits from ``job`` on; and whether to go on after it."""
        batch: list[Job] = []
        while job is not None:
            self._owed += job.drop
            self._compacted = max(self._compacted, job.compacted)
            batch.append(job)
            if self._jobs.empty() or len(batch) >= _MOST_IN_A_BATCH:
                return batch, True
            job = self._jobs.get()
        return batch, False

    def _write(self, batch: list[Job]) -> None:
        self._untidy = True
        records = [record for job in batch for record in job.records]
        if not records:
            return
        failpoint("store.commit")
        try:
            self._append(records)
        except Exception as error:  # whatever it was, whoever waits must be told
            self._void_epoch = batch[-1].epoch
            _log.error("commit failed", extra={"why": str(error), "writes": len(records)})
            self._report(self._failed, self._void_epoch, str(error))
            return
        failpoint("store.committed")
        self._report(self._committed, records[-1].revision)

    def _append(self, records: list[Record]) -> None:
        """Write, and now and then drop what is owed, which costs as much as a row each time."""
        apart = self._compacted - self._paid
        if records and len(self._owed) < _OWED_AT_ONCE and apart < _OWED_AT_ONCE:
            self._log.append(records, (), 0)
            return
        self._log.append(records, self._owed, self._compacted)
        self._owed, self._paid = [], self._compacted

    def _tidy(self) -> None:
        """Drop what is owed and hand back pages; a full disk is met again by the next write."""
        try:
            if self._owed or self._compacted > self._paid:
                self._append([])
            self._untidy = self._log.tidy()
        except Exception as error:
            self._untidy = False
            _log.error("tidying failed", extra={"why": str(error)})

    def _report(self, tell: Callable[..., None], *what: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(tell, *what)

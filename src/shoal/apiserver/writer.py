"""The thread that writes: takes what waits, commits it in one sync, reports back to the loop.

While one sync runs the next batch gathers, so a slow disk makes batches larger, not writes
slower one by one.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final

import msgspec

from shoal.apiserver.log import Log, Record
from shoal.units.failpoint import failpoint

_log: Final = logging.getLogger(__name__)
_MOST_IN_A_BATCH: Final = 2048


class Job(msgspec.Struct, frozen=True):
    """Rows to write and revisions to drop. ``epoch`` counts the failures before it was made."""

    epoch: int
    record: Record | None = None
    drop: tuple[int, ...] = ()
    compacted: int = 0


Committed = Callable[[int], None]
"""Told the last revision that is now durable."""
Failed = Callable[[int, str], None]
"""Told the epoch whose unwritten jobs are void, and why."""


class Writer:
    """Owns the log from ``start`` on. Reports through the event loop that started it.

    After a failed commit every job of that epoch is void, also those handed in meanwhile: they
    may build on what was lost. Jobs of the next epoch are written again.
    """

    def __init__(self, log: Log, committed: Committed, failed: Failed) -> None:
        self._log = log
        self._committed = committed
        self._failed = failed
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._void_epoch = -1

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
            batch, running = self._gather()
            self._write([job for job in batch if job.epoch > self._void_epoch])
        self._log.close()

    def _gather(self) -> tuple[list[Job], bool]:
        """Everything that waits, at least one job; and whether to go on after it."""
        batch: list[Job] = []
        job = self._jobs.get()
        while job is not None:
            batch.append(job)
            if self._jobs.empty() or len(batch) >= _MOST_IN_A_BATCH:
                return batch, True
            job = self._jobs.get()
        return batch, False

    def _write(self, batch: list[Job]) -> None:
        if not batch:
            return
        records = [job.record for job in batch if job.record is not None]
        drop = [revision for job in batch for revision in job.drop]
        failpoint("store.commit")
        try:
            self._log.append(records, drop, max(job.compacted for job in batch))
        except Exception as error:  # whatever it was, whoever waits must be told
            self._void_epoch = batch[-1].epoch
            _log.error("commit failed", extra={"why": str(error), "writes": len(records)})
            self._report(self._failed, self._void_epoch, str(error))
            return
        failpoint("store.committed")
        if records:
            self._report(self._committed, records[-1].revision)

    def _report(self, tell: Callable[..., None], *what: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(tell, *what)

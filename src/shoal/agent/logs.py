"""What ``kubectl logs`` shows of one start of a container: records put together to text again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

import msgspec

from shoal.agent.logfiles import TAG_AT, TEXT_AT, LogFiles, tail_start

_STAMP: Final = 30
_STREAM: Final = slice(31, 37)
_FIRST_PAUSE_S: Final = 0.005
_LONGEST_PAUSE_S: Final = 0.05


class LogQuery(msgspec.Struct, frozen=True):
    """What part is wanted. ``since`` is RFC 3339 in UTC; -1 means no bound."""

    follow: bool = False
    tail_lines: int = -1
    since: str = ""
    timestamps: bool = False
    limit_bytes: int = -1


async def read_log(path: Path, query: LogQuery, ended: Callable[[], bool]) -> AsyncIterator[bytes]:
    """The text in pieces. A follower gets all until the container has ended, as ``ended`` says.

    Waiting is by looking again, at most ``_LONGEST_PAUSE_S`` apart.
    """
    text = _Text(query)
    start = tail_start(path, query.tail_lines) if query.tail_lines >= 0 else None
    files = LogFiles(path, start)
    pause = _FIRST_PAUSE_S
    try:
        while not text.full:
            over = not query.follow or ended()  # asked first: what was logged before is read
            if records := files.read():
                pause = _FIRST_PAUSE_S
                if piece := text.of(records):
                    yield piece
            elif over:
                return
            else:
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE_S)
    finally:
        files.close()


class _Text:
    """Turns records into text, within the bounds of a query."""

    def __init__(self, query: LogQuery) -> None:
        self._query = query
        self._since = query.since.removesuffix("Z").encode()
        self._left = query.limit_bytes
        self._inside: dict[bytes, bool] = {}
        """By stream, whether the last record was a part of a line."""

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self._left == 0

    def of(self, records: bytes) -> bytes:
        """The text of some whole records."""
        text = b"".join(self._line(record) for record in records.split(b"\n")[:-1])
        if self._left >= 0:
            text = text[: self._left]
            self._left -= len(text)
        return text

    def _line(self, record: bytes) -> bytes:
        stream, stamp = record[_STREAM], record[:_STAMP]
        inside = self._inside.get(stream, False)
        whole = record[TAG_AT : TAG_AT + 1] == b"F"
        self._inside[stream] = not whole
        if stamp < self._since:
            return b""
        head = stamp + b" " if self._query.timestamps and not inside else b""
        return head + record[TEXT_AT:] + (b"\n" if whole else b"")

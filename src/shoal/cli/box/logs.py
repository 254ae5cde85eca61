"""Logs of the box's processes: one JSON line an event on standard error.

What is told beside the event is given as ``extra``. Bodies and headers are never logged.
"""

import logging
import sys
from datetime import UTC, datetime
from typing import Final

import msgspec

_OF_EVERY_RECORD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "taskName"}


def log_to_stderr() -> None:
    """Set up the log of a process of shoal; of libraries only warnings are kept."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("shoal").setLevel(logging.INFO)


class _Lines(logging.Formatter):
    """One JSON object a record."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        told = {k: v for k, v in vars(record).items() if k not in _OF_EVERY_RECORD}
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
            **told,
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line, enc_hook=repr).decode()

"""Logs: one JSON line an event, on standard error. Bodies and headers are never logged."""

import logging
import sys

import structlog


def log_to_stderr() -> None:
    """Set up structlog for a process of shoal."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, handlers=[_Bridge()])


class _Bridge(logging.Handler):
    """Passes what libraries log on to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log one record."""
        structlog.get_logger(record.name).log(record.levelno, record.getMessage())

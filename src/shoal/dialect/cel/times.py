"""Durations and points in time, and what they consist of. Parts of a time are those in UTC."""

import datetime
import re
from collections.abc import Callable
from typing import Final

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.function import Function, Functions, Run, taking
from shoal.dialect.cel.values import Steps, Value

_UNITS: Final = {"h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1000, "us": 1}
_PART: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us)", re.ASCII)
_DURATION: Final = re.compile(r"[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us))+\Z", re.ASCII)


def duration(value: Value, steps: Steps) -> datetime.timedelta:
    """A duration out of a text such as ``1h30m``. Raises CelError."""
    if isinstance(value, datetime.timedelta):
        return value
    if value == "0":
        return datetime.timedelta()
    if not isinstance(value, str) or not _DURATION.match(value):
        raise CelError("this is no duration; example: 1h30m")
    total = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(value))
    try:
        return datetime.timedelta(microseconds=-total if value[0] == "-" else total)
    except (OverflowError, ValueError) as error:
        raise CelError("the duration is too long") from error


def timestamp(value: Value, steps: Steps) -> datetime.datetime:
    """A time out of a text such as ``2026-01-31T12:00:00Z``. Raises CelError."""
    if isinstance(value, datetime.datetime):
        return value
    try:
        read = datetime.datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise CelError("this is no time; example: 2026-01-31T12:00:00Z") from error
    return read if read.tzinfo else read.replace(tzinfo=datetime.UTC)


def _part(read: Callable[[datetime.datetime], int]) -> Function:
    return taking("timestamp", "int", lambda value, steps: read(_utc(value)))


def _either(microseconds: int, read: Callable[[datetime.datetime], int]) -> Function:
    """A part of a time; of a duration, how many of that unit it has in all."""
    return taking("timestamp|duration", "int", _counted(microseconds, read))


def _counted(microseconds: int, read: Callable[[datetime.datetime], int]) -> Run:
    unit = datetime.timedelta(microseconds=microseconds)

    def run(value: Value, steps: Steps) -> int:
        if isinstance(value, datetime.datetime):
            return read(_utc(value))
        whole: int = abs(value) // unit
        return -whole if value < datetime.timedelta() else whole

    return run


def _utc(value: datetime.datetime) -> datetime.datetime:
    try:
        return value.astimezone(datetime.UTC)
    except OverflowError as error:
        raise CelError("a time is out of range") from error


FUNCTIONS: Final[Functions] = {
    ("duration", 1): taking("any", "duration", duration),
    ("timestamp", 1): taking("any", "timestamp", timestamp),
}
METHODS: Final[Functions] = {
    ("getDate", 1): _part(lambda time: time.day),
    ("getDayOfMonth", 1): _part(lambda time: time.day - 1),
    ("getDayOfWeek", 1): _part(lambda time: time.isoweekday() % 7),
    ("getDayOfYear", 1): _part(lambda time: time.timetuple().tm_yday - 1),
    ("getFullYear", 1): _part(lambda time: time.year),
    ("getHours", 1): _either(_UNITS["h"], lambda time: time.hour),
    ("getMilliseconds", 1): _either(_UNITS["ms"], lambda time: time.microsecond // 1000),
    ("getMinutes", 1): _either(_UNITS["m"], lambda time: time.minute),
    ("getMonth", 1): _part(lambda time: time.month - 1),
    ("getSeconds", 1): _either(_UNITS["s"], lambda time: time.second),
}

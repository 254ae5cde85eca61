"""Instants: RFC 3339 texts to whole milliseconds since the epoch and back."""

from datetime import UTC, datetime, timedelta
from typing import Final

from shoal.units.errors import UnitError

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def parse_instant(text: str) -> int:
    """Milliseconds since the epoch, rounded down. Raises UnitError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise UnitError(f"{text[:40]!r} is not a time; example: 2026-12-24T08:00:00Z")
    return (moment - _EPOCH) // _MILLISECOND


def format_seconds(milliseconds: int) -> str:
    """The instant as the times of Kubernetes' own kinds are written: UTC, whole seconds."""
    return f"{format_instant(milliseconds)[:-5]}Z"


def format_instant(milliseconds: int) -> str:
    """The instant in UTC with three decimals, so that texts sort as times do."""
    moment = _EPOCH + milliseconds * _MILLISECOND
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"

"""Tables: what ``kubectl get`` prints. Columns, ages, and the Table object.

Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

UNKNOWN: Final = "<unknown>"
NONE: Final = "<none>"


class Column(msgspec.Struct, frozen=True):
    """One column. ``priority`` 0 is always shown, above only with ``-o wide``."""

    name: str
    priority: int = 0
    type: str = "string"
    format: str = ""


def wide(name: str, kind: str = "string") -> Column:
    """A column that only ``-o wide`` shows."""
    return Column(name, 1, kind)


NAME: Final = Column("Name", format="name")
AGE: Final = Column("Age")


def table_object(
    columns: Sequence[Column], rows: Iterable[dict[str, Any]], metadata: dict[str, Any]
) -> dict[str, Any]:
    """A Table; without columns it continues an earlier one of the same watch."""
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": [
            {
                "name": column.name,
                "type": column.type,
                "format": column.format,
                "description": "",
                "priority": column.priority,
            }
            for column in columns
        ],
        "rows": list(rows),
    }


def age(timestamp: str | None, now: int) -> str:
    """How long ago an RFC 3339 time was, as kubectl writes ages."""
    seconds = unix_seconds(timestamp)
    return UNKNOWN if seconds is None else say_age(now - seconds)


def unix_seconds(timestamp: str | None) -> int | None:
    """Unix seconds of an RFC 3339 text; None for none or a text that is no time."""
    if not timestamp:
        return None
    try:
        return int(datetime.fromisoformat(timestamp).timestamp())
    except ValueError:
        return None


def say_age(seconds: int) -> str:
    """One or two units, fewer the longer it is: ``90s``, ``5m10s``, ``3h12m``, ``4d``, ``2y30d``."""
    if seconds < -1:
        return "<invalid>"
    seconds = max(seconds, 0)
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return _two(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if days < 730:
        return f"{days}d"
    return _two(days // 365, "y", days % 365, "d") if days < 8 * 365 else f"{days // 365}y"


def _two(first: int, first_unit: str, second: int, second_unit: str) -> str:
    return f"{first}{first_unit}" + (f"{second}{second_unit}" if second else "")

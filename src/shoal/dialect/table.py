"""Tables: what ``kubectl get`` prints. Columns, ages, and the Table object.

Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from shoal.units.errors import UnitError
from shoal.units.instant import parse_instant

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
    """How long ago an RFC 3339 time was, as kubectl writes ages. ``now`` is in seconds."""
    try:
        return say_age(now - parse_instant(timestamp or "") // 1000)
    except UnitError:
        return UNKNOWN


def say_age(seconds: int) -> str:
    """One or two units, fewer the longer it is: ``90s``, ``5m10s``, ``3h12m``, ``4d``."""
    if seconds < -1:
        return "<invalid>"
    seconds = max(seconds, 0)
    _, unit, size, small, small_size = next(step for step in _STEPS if seconds < step[0])
    rest = seconds % size // small_size if small else 0
    return f"{seconds // size}{unit}" + (f"{rest}{small}" if rest else "")


_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86400, 365 * 86400
_STEPS: Final = (
    (2 * _MINUTE, "s", 1, "", 1),
    (10 * _MINUTE, "m", _MINUTE, "s", 1),
    (3 * _HOUR, "m", _MINUTE, "", 1),
    (8 * _HOUR, "h", _HOUR, "m", _MINUTE),
    (2 * _DAY, "h", _HOUR, "", 1),
    (8 * _DAY, "d", _DAY, "h", _HOUR),
    (2 * _YEAR, "d", _DAY, "", 1),
    (8 * _YEAR, "y", _YEAR, "d", _DAY),
    (1 << 62, "y", _YEAR, "", 1),
)
"""Below how many seconds: the unit and its size, and the second unit where there is one."""

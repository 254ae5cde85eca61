"""Durations: ``12h``, ``1h30m``, ``1.5h``, ``1d`` to whole seconds and back."""

import itertools
import re
from fractions import Fraction
from typing import Final

from shoal.units.errors import UnitError

_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)([dhms])")
_WHOLE = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?[dhms])+\Z")
_SECONDS: Final = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_LONGEST_SECONDS: Final = 10 * 365 * 86400


def parse_duration(text: str | int) -> int:
    """Whole seconds, at least 1. A bare number means seconds. Raises UnitError."""
    written = str(text)
    if written.isascii() and written.isdigit() and len(written) <= 12:
        seconds = int(written)
    elif len(written) <= 40 and _WHOLE.match(written):
        seconds = _whole(written)
    else:
        raise UnitError(f"{written[:40]!r} is not a duration; examples: 90s, 30m, 1h30m, 2d")
    if not 1 <= seconds <= _LONGEST_SECONDS:
        raise UnitError(f"{written[:40]!r} is outside 1s to 3650d; examples: 90s, 30m, 12h")
    return seconds


def _whole(written: str) -> int:
    """The sum of the parts; raises UnitError where it is no whole number of seconds."""
    total = sum(Fraction(n) * _SECONDS[unit] for n, unit in _PART.findall(written))
    if total % 1:
        raise UnitError(f"{written!r} is no whole number of seconds; examples: 90s, 1.5h")
    return int(total)


def say_duration(seconds: int) -> str:
    """At most two units, as people glance at it: ``58s``, ``1m58s``, ``3d4h``."""
    seconds = max(seconds, 0)
    units = list(_SECONDS.items())
    for (big, size), (small, part) in itertools.pairwise(units):
        if seconds >= size:
            rest = seconds % size // part
            return f"{seconds // size}{big}" + (f"{rest}{small}" if rest else "")
    return f"{seconds}s"

"""How long ago something was that was written by a clock which may have been set since. Pure.

A process of the loops measures by one base all its life: what the clock was ahead of the time
since boot when the process started. So an instant that the loops wrote tells when it was by the
time since boot, which nobody can set, once it is known by which base it was written.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

_ALIKE_MS: Final = 500
"""Bases that differ by less are the same: nobody set the clock."""
_MOST: Final = 32
_SECOND_MS: Final = 1000
"""Instants are written in whole seconds, rounded down."""


class Base(msgspec.Struct, frozen=True, rename="camel"):
    """A base in ms, and from when on the loops have written by it, in ms since boot."""

    since_ms: int
    offset_ms: int


def with_base(known: Sequence[Base], base: Base) -> tuple[Base, ...]:
    """The bases of this boot, now that a process has started by this one."""
    if known and abs(known[-1].offset_ms - base.offset_ms) < _ALIKE_MS:
        return tuple(known)
    return (*known, base)[-_MOST:]


def ago_ms(bases: Sequence[Base], instant_ms: int, now_ms: int) -> int:
    """The least time that has passed since an instant, with ``now_ms`` in ms since boot.

    Of several bases that may have written it the one counts by which it is least long ago: of
    all bases where it is of none of them, since it was written before this boot or elsewhere.
    """
    moments = [instant_ms - base.offset_ms for base in bases]
    ends = [*(base.since_ms for base in bases[1:]), now_ms]
    written = [
        moment
        for moment, base, end in zip(moments, bases, ends, strict=True)
        if base.since_ms - _SECOND_MS <= moment <= end + _ALIKE_MS
    ]
    return max(now_ms - max(written or moments), 0)

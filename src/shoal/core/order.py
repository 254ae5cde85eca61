"""Order: ranks of names, so that nodes that are equally good go by name.

A rank is a number that stays while names come and go: who comes gets one between its
neighbours', and only where there is none between them are all ranks given anew.
"""

from bisect import bisect_left
from typing import Final

_MOST: Final = 1 << 31
"""Ranks are below this."""
_STEP: Final = 1 << 10
"""From one rank to the next at either end, where names mostly come."""


class Order:
    """The names that are there, and how each ranks."""

    __slots__ = ("_names", "ranks")

    def __init__(self) -> None:
        self.ranks: dict[str, int] = {}
        self._names: list[str] = []

    def add(self, name: str) -> bool:
        """Rank a name that comes; whether the others' ranks changed as well."""
        at = bisect_left(self._names, name)
        self._names.insert(at, name)
        low = self.ranks[self._names[at - 1]] if at else -1
        high = self.ranks[self._names[at + 1]] if at + 1 < len(self._names) else _MOST
        if high - low < 2:
            self._rank_all()
            return True
        self.ranks[name] = _between(low, high)
        return False

    def remove(self, name: str) -> None:
        """A name is gone."""
        del self._names[bisect_left(self._names, name)]
        del self.ranks[name]

    def _rank_all(self) -> None:
        gap = _MOST // (len(self._names) + 1)
        self.ranks = {name: gap * at for at, name in enumerate(self._names, 1)}


def _between(low: int, high: int) -> int:
    middle = (low + high) // 2
    if low < 0 and high == _MOST:
        return middle
    if high == _MOST:
        return min(low + _STEP, middle)
    return max(high - _STEP, middle) if low < 0 else middle

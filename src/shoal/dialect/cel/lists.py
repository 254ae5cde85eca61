"""Functions of lists."""

import itertools
from collections.abc import Callable
from typing import Final

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.function import Functions, taking
from shoal.dialect.cel.values import NOTHING, Optional, Steps, Value, equal, kind_of, less, whole


def _join(items: list[Value], separator: str, steps: Steps) -> str:
    if not all(isinstance(item, str) for item in items):
        raise CelError("only texts can be joined")
    steps.spend(len(items))
    return separator.join(items)


def _is_sorted(items: list[Value], steps: Steps) -> bool:
    return not any(less(b, a, steps) for a, b in itertools.pairwise(items))


def _sum(items: list[Value], steps: Steps) -> Value:
    steps.spend(len(items))
    if {kind_of(item) for item in items} <= {"int"}:
        return whole(sum(items))
    if {kind_of(item) for item in items} == {"double"}:
        return sum(items)
    raise CelError("only numbers can be added up")


def extreme(*, most: bool) -> Callable[[list[Value], Steps], Value]:
    """The least or the greatest of some values. Raises CelError."""

    def run(items: list[Value], steps: Steps) -> Value:
        if not items:
            raise CelError("an empty list has neither least nor greatest")
        best = items[0]
        for item in items[1:]:
            if less(best, item, steps) if most else less(item, best, steps):
                best = item
        return best

    return run


def _distinct(items: list[Value], steps: Steps) -> list[Value]:
    found: list[Value] = []
    for item in items:
        if not any(equal(item, other, steps) for other in found):
            found.append(item)
    return found


def _flat(items: list[Value], steps: Steps) -> list[Value]:
    """One level of lists in the list less."""
    found: list[Value] = []
    for item in items:
        inside = item if isinstance(item, list) else [item]
        steps.spend(len(inside))
        found += inside
    return found


def _at_end(index: int) -> Callable[[list[Value], Steps], Optional]:
    return lambda items, steps: Optional(items[index]) if items else NOTHING


def _reversed(value: Value, steps: Steps) -> Value:
    return value[::-1]


def _contains(one: list[Value], other: list[Value], steps: Steps) -> bool:
    return all(any(equal(item, known, steps) for known in one) for item in other)


def _equivalent(one: list[Value], other: list[Value], steps: Steps) -> bool:
    return _contains(one, other, steps) and _contains(other, one, steps)


def _intersects(one: list[Value], other: list[Value], steps: Steps) -> bool:
    return any(equal(item, known, steps) for known in one for item in other)


FUNCTIONS: Final[Functions] = {
    ("sets.contains", 2): taking("list list", "bool", _contains),
    ("sets.equivalent", 2): taking("list list", "bool", _equivalent),
    ("sets.intersects", 2): taking("list list", "bool", _intersects),
}
METHODS: Final[Functions] = {
    ("distinct", 1): taking("list", "same", _distinct),
    ("first", 1): taking("list", "optional", _at_end(0)),
    ("flatten", 1): taking("list", "list", _flat),
    ("isSorted", 1): taking("list", "bool", _is_sorted),
    ("join", 1): taking("list", "string", lambda items, steps: _join(items, "", steps)),
    ("join", 2): taking("list string", "string", _join),
    ("last", 1): taking("list", "optional", _at_end(-1)),
    ("max", 1): taking("list", "item", extreme(most=True)),
    ("min", 1): taking("list", "item", extreme(most=False)),
    ("reverse", 1): taking("list|string", "same", _reversed),
    ("sum", 1): taking("list", "item", _sum),
}

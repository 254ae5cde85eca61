"""The least and the greatest of some numbers, written out or in a list."""

from collections.abc import Callable
from typing import Final

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.function import Functions, Run, taking
from shoal.dialect.cel.lists import extreme
from shoal.dialect.cel.values import Steps, Value, kind_of

_MOST_WRITTEN: Final = 16


def _of_list(*, most: bool) -> Run:
    choose: Callable[[list[Value], Steps], Value] = extreme(most=most)

    def run(items: Value, steps: Steps) -> Value:
        values = items if isinstance(items, list) else [items]
        if not all(kind_of(value) in ("int", "double") for value in values):
            raise CelError("only numbers can be compared so")
        return choose(values, steps)

    return run


def _written(count: int, *, most: bool) -> Run:
    choose = _of_list(most=most)
    return lambda *given: choose(list(given[:count]), given[count])


def _named(name: str, *, most: bool) -> Functions:
    written = {
        (name, count): taking("int|double " * count, "any", _written(count, most=most))
        for count in range(2, _MOST_WRITTEN + 1)
    }
    one = taking("list|int|double", "any", _of_list(most=most))
    return {(name, 1): one, **written}


FUNCTIONS: Final[Functions] = {
    **_named("math.greatest", most=True),
    **_named("math.least", most=False),
}

"""What a function takes and gives: looked at before an expression runs, and while it does."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.values import Value, kind_of

Run: TypeAlias = Callable[..., Value]
"""Takes the values and, last, the steps."""


class Function(msgspec.Struct, frozen=True):
    """A function, or one called on a value, which is then its first.

    ``takes`` are the kinds of each value, none for any. ``gives`` is a kind, with that of what is
    in it after a colon; ``item`` is what the first value holds, ``same`` its own type.
    """

    takes: tuple[frozenset[str], ...]
    gives: str
    run: Run

    def __call__(self, *given: Value) -> Value:
        """Refuse values of other kinds, and spend for the length of the first. Raises CelError."""
        *values, steps = given
        for value, kinds in zip(values, self.takes, strict=True):
            if kinds and kind_of(value) not in kinds:
                raise CelError(f"a {say_kinds(kinds)} is needed, not a {kind_of(value)}")
        if values:
            steps.spend_on(values[0])
        return self.run(*given)


Functions: TypeAlias = Mapping[tuple[str, int], Function]
"""By name and number of values."""


def taking(takes: str, gives: str, run: Run) -> Function:
    """A function that takes, for example, ``string int|double``."""
    return Function(tuple(map(_kinds, takes.split())), gives, run)


def plain(run: Callable[..., Value]) -> Run:
    """A function that takes about as long as its first value is long, and so no steps."""
    return lambda *given: run(*given[:-1])


def say_kinds(kinds: frozenset[str]) -> str:
    """For sentences: ``int or string``."""
    return " or ".join(sorted(kinds))


def _kinds(text: str) -> frozenset[str]:
    return _ANY if text == "any" else frozenset(text.split("|"))


_ANY: Final[frozenset[str]] = frozenset()

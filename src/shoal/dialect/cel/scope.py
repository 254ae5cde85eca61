"""Where an expression is at while it runs."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.values import Steps, Value, kind_of


class Scope(msgspec.Struct, frozen=True):
    """The values of the names, and the steps that are left."""

    names: Mapping[str, Value]
    steps: Steps

    def with_names(self, more: Mapping[str, Value]) -> "Scope":
        """The same with some more names, or other values for them."""
        return Scope({**self.names, **more}, self.steps)


Run: TypeAlias = Callable[[Scope], Value]
"""A compiled expression. Raises CelError, OutOfSteps."""


def truth(value: Value) -> bool:
    """A value that must be true or false. Raises CelError."""
    if not isinstance(value, bool):
        raise CelError(f"true or false is needed, not a {kind_of(value)}")
    return value

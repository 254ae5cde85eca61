"""What the checks of a schema are made of."""

from collections.abc import Callable

from shoal.dialect.document import Json
from shoal.dialect.status import Cause

Check = Callable[[Json, str, list[Cause]], None]
"""Look at the value at a path and add what is wrong to the list."""


def below(path: str, name: str) -> str:
    """The path of a field of the object at ``path``."""
    return f"{path}.{name}" if path else name

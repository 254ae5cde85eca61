"""What keeps a box from starting or stopping: one sentence with the remedy."""

from pathlib import Path

from shoal.cli.errors import BadInput, CommandError


class BoxError(BadInput):
    """The box cannot do what was asked; trying the same again is of no use."""


class NoBoxError(CommandError):
    """No box runs on this home."""

    def __init__(self, home: Path) -> None:
        super().__init__(f"no box runs on {home}. Start one: shoal up")

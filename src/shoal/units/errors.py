"""The one error of this room."""


class UnitError(ValueError):
    """A text that is not an amount: one sentence with a right example."""

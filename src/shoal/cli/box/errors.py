"""What keeps a box from starting or stopping: one sentence with the remedy."""

from shoal.cli.errors import BadInput


class BoxError(BadInput):
    """The box cannot do what was asked; trying the same again is of no use."""

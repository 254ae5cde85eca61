"""What keeps a box from starting or stopping: one sentence with the remedy."""


class BoxError(Exception):
    """The box cannot do what was asked."""

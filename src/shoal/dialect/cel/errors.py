"""How an expression fails."""


class CelSyntaxError(Exception):
    """The expression cannot be used: one sentence."""


class CelError(Exception):
    """The expression has no value for these inputs: one sentence."""


class OutOfSteps(Exception):
    """The expression takes longer than it may."""

    def __init__(self) -> None:
        super().__init__("takes too long for an object of this size")

"""The one way in which a decision cannot be carried out for good."""


class LostError(Exception):
    """What was to be placed is not what it was: one sentence that says what happened."""

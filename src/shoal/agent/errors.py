"""Errors of the agent: one sentence each, told to people as they are."""


class AgentError(RuntimeError):
    """The agent cannot run, and trying again will not help; the message says what to do."""

    exit_code = 2


class PodError(Exception):
    """A pod can never start as it is written. ``reason`` is the pod's, the message its sentence."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class NotYetError(Exception):
    """A pod cannot start now but may later. ``reason`` is the containers' waiting reason."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

"""Errors of commands, and the exit codes that scripts may count on."""

from typing import Final

FAILED: Final = 1
BAD_INPUT: Final = 2
TIMED_OUT: Final = 124
"""As of timeout(1): the run's time limit ended it."""
SIGNALLED: Final = 128
"""Plus the number of the signal that killed a replica, as shells have it."""
INTERRUPTED: Final = SIGNALLED + 2
"""Ctrl-C; also what an attached run ends with that somebody stopped."""
BROKEN_PIPE: Final = SIGNALLED + 13


class CommandError(Exception):
    """What was asked cannot be done: the sentence is the error."""

    exit_code = FAILED


class BadInput(CommandError):
    """What was asked is wrong; nothing was changed."""

    exit_code = BAD_INPUT

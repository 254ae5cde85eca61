"""The keyboard of the terminal that a command was typed on."""

import os
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_LOCAL: Final = 3
"""Index of the local modes in what ``tcgetattr`` gives."""
_ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def silent() -> Iterator[None]:
    """Keys are not echoed into what is shown; undone whatever ends the context."""
    with _without(termios.ECHO):
        yield


@contextmanager
def single_keys(*, interrupts: bool) -> Iterator[None]:
    """``os.read`` of stdin gives a key as it is pressed; what was typed before is dropped.

    Without ``interrupts`` Ctrl-C is a key like any other.
    """
    with _without(termios.ECHO | termios.ICANON | (0 if interrupts else termios.ISIG)):
        if sys.stdin.isatty():
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        yield


@contextmanager
def _without(modes: int) -> Iterator[None]:
    """The terminal without some of its local modes, where there is one that is ours to set."""
    if not sys.stdin.isatty() or _in_background():
        yield
        return
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    changed = termios.tcgetattr(keyboard)
    changed[_LOCAL] &= ~modes
    handlers = {number: signal.signal(number, _leave) for number in _ENDINGS}
    try:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, changed)
        yield
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _in_background() -> bool:
    """Whether setting the terminal would stop this process (SIGTTOU)."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp()
    except OSError:
        return False  # it is not the terminal that controls us


def _leave(number: int, _: object) -> None:
    """End by way of what has to be undone."""
    sys.exit(128 + number)

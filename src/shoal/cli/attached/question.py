"""The question that Ctrl-C asks."""

import os
import sys
import termios
import tty
from enum import Enum

from shoal.cli.attached.screen import Screen


class Choice(Enum):
    """What to do with a run that somebody stops watching."""

    DETACH = "d"
    STOP = "s"
    STAY = ""


def ask_what_next(name: str, screen: Screen) -> Choice:
    """Ask on the terminal; one key answers. Ctrl-C once more, or no terminal, detaches."""
    with screen.question(f"{name} goes on. d detach · s stop · Enter keep watching "):
        return _answer()


def can_ask(screen: Screen) -> bool:
    """Whether somebody is there to answer."""
    return screen.interactive and sys.stdin.isatty()


def _answer() -> Choice:
    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    tty.setcbreak(keyboard)
    # Ctrl-C is a key like any other here, not a signal.
    quiet = termios.tcgetattr(keyboard)
    quiet[3] &= ~termios.ISIG
    termios.tcsetattr(keyboard, termios.TCSADRAIN, quiet)
    try:
        while True:
            match os.read(keyboard, 1):
                case b"d" | b"D" | b"\x03" | b"\x04" | b"":
                    return Choice.DETACH
                case b"s" | b"S":
                    return Choice.STOP
                case b"\n" | b"\r":
                    return Choice.STAY
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)

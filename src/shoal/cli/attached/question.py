"""The question that Ctrl-C asks."""

import os
import sys
from enum import Enum

from shoal.cli.attached.keyboard import single_keys
from shoal.cli.attached.screen import Screen


class Choice(Enum):
    """What to do with a run that somebody stops watching."""

    DETACH = "d"
    STOP = "s"
    STAY = ""


def ask_what_next(name: str, screen: Screen) -> Choice:
    """Ask on the terminal; one key answers. Ctrl-C once more, or no terminal, detaches."""
    with (
        single_keys(interrupts=False),
        screen.question(f"{name} goes on. d detach · s stop · Enter keep watching "),
    ):
        return _answer()


def can_ask(screen: Screen) -> bool:
    """Whether somebody is there to answer."""
    return screen.interactive and sys.stdin.isatty()


def _answer() -> Choice:
    while True:
        match os.read(sys.stdin.fileno(), 1):
            case b"d" | b"D" | b"\x03" | b"\x04" | b"":
                return Choice.DETACH
            case b"s" | b"S":
                return Choice.STOP
            case b"\n" | b"\r":
                return Choice.STAY

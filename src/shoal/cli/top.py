"""``shoal top``: the cards, and who holds what of them."""

import contextlib
from typing import TYPE_CHECKING

import click

from shoal.cli.options import namespace_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.cli.context import Here

_SECONDS = 1.0
"""Between two looks."""


@click.command()
@click.option("--once", is_flag=True, help="Show it once instead of going on.")
@namespace_option
def command(once: bool, namespace: str) -> None:
    """Show the cards and who holds what of them.

    A bar is a card; what is full of it is held. q quits. Off a terminal it shows once.
    """
    import sys

    from shoal.cli.context import Here

    here = Here(namespace)
    if once or not sys.stdout.isatty():
        print("\n".join(_look(here)))
    else:
        _go_on(here)


def _go_on(here: "Here") -> None:
    """Until q or Ctrl-C; the last picture stays."""
    from shoal.cli.attached.keyboard import single_keys

    picture = _look(here)
    try:
        with single_keys(interrupts=True), _other_screen():
            _draw(picture)
            while not _quits():
                picture = _look(here)
                _draw(picture)
    finally:
        print("\n".join(picture))


@contextlib.contextmanager
def _other_screen() -> "Iterator[None]":
    """The terminal's second screen without a cursor; the first comes back as it was."""
    print("\x1b[?1049h\x1b[?25l", end="", flush=True)
    try:
        yield
    finally:
        print("\x1b[?25h\x1b[?1049l", end="", flush=True)


def _draw(lines: list[str]) -> None:
    """From the top, as many as there is room for; without a moment in which it is empty."""
    import shutil

    room = shutil.get_terminal_size().lines
    shown = "\x1b[K\n".join(lines[:room])
    print(f"\x1b[H{shown}\x1b[J", end="", flush=True)


def _quits() -> bool:
    """Whether q was pressed before it is time to look again."""
    import os
    import select
    import sys

    keyboard = sys.stdin.fileno()
    ready, _, _ = select.select([keyboard] if sys.stdin.isatty() else [], [], [], _SECONDS)
    return bool(ready) and os.read(keyboard, 1) in (b"q", b"Q", b"")


def _look(here: "Here") -> list[str]:
    """The whole picture now, a line each, as wide as the terminal is."""
    import shutil
    import sys

    from shoal.api.kinds import RUNS
    from shoal.cli.board import board_lines, queue_lines
    from shoal.cli.errors import CommandError
    from shoal.cli.fit import cut
    from shoal.cli.output import colourful
    from shoal.cli.scheduler import NO_SCHEDULER, ask_board, ask_explanation, ask_waits

    board = ask_board(here)
    if board is None:
        raise CommandError(NO_SCHEDULER)
    runs = here.client.list(RUNS, here.namespace).items
    waits = ask_waits(here) if board.waiting else []
    first = ask_explanation(here, waits[0].owner) if waits else None
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    queues = [cut(line, width) for line in queue_lines(runs, first)]
    return [*board_lines(board, colours=colourful(sys.stdout), width=width), *queues]

"""``shoal top``: the cards, and who holds what of them."""

from typing import TYPE_CHECKING

import click

from shoal.cli.options import namespace_option

if TYPE_CHECKING:
    from shoal.cli.context import Here

_SECONDS = 1.0
"""Between two looks."""


@click.command()
@click.option("--once", is_flag=True, help="Show it once instead of going on.")
@namespace_option
def command(once: bool, namespace: str) -> None:
    """Show the cards and who holds what of them.

    A bar is a card; what is full of it is held. Off a terminal it shows once.
    """
    import sys

    from shoal.cli.context import Here

    here = Here(namespace)
    if once or not sys.stdout.isatty():
        print("\n".join(_look(here)))
    else:
        _go_on(here)


def _go_on(here: "Here") -> None:
    import time

    from rich.live import Live
    from rich.text import Text

    def picture() -> Text:
        return Text.from_ansi("\n".join(_look(here)))

    with Live(picture(), screen=True, auto_refresh=False) as live:
        while True:
            time.sleep(_SECONDS)
            live.update(picture(), refresh=True)


def _look(here: "Here") -> list[str]:
    """The whole picture now, a line each."""
    import sys

    from shoal.api.kinds import RUNS
    from shoal.cli.board import board_lines, queue_lines
    from shoal.cli.errors import CommandError
    from shoal.cli.output import colourful
    from shoal.cli.scheduler import NO_SCHEDULER, ask_board, ask_explanation, ask_waits

    board = ask_board(here)
    if board is None:
        raise CommandError(NO_SCHEDULER)
    runs = here.client.list(RUNS, here.namespace).items
    waits = ask_waits(here) if board.waiting else []
    first = ask_explanation(here, waits[0].owner) if waits else None
    return [*board_lines(board, colours=colourful(sys.stdout)), *queue_lines(runs, first)]

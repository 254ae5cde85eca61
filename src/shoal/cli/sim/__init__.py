"""``shoal sim``: a trace replayed through the placement engine."""

import importlib
from typing import Final

import click

_COMMANDS: Final = {
    "run": "Replay a trace with one policy.",
    "compare": "Replay a trace with several policies.",
}


class _Commands(click.Group):
    """The commands below ``sim``, each imported only when it is the one asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All of them in the order of the table."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, from its module."""
        if cmd_name not in _COMMANDS:
            return None
        command = importlib.import_module(f"shoal.cli.sim.{cmd_name}").command
        assert isinstance(command, click.Command)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their line of help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands)
def command() -> None:
    """Replay a trace and show what a policy makes of it; no box needed.

    Pods of the trace arrive in a random order, clones of them after that, until so much of all
    cards was asked for. Each is placed when it arrives or refused for good; none ends, unless
    --departures is given. A trace has a name (--trace openb:default, in the folder that
    SHOAL_TRACES names), or is two files (--nodes and --pods).
    """

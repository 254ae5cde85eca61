"""``shoal``: finds the verb, imports its one module, and turns errors into sentences."""

import importlib
import os
import sys
from collections.abc import Sequence
from itertools import groupby
from typing import NoReturn

import click

from shoal import __version__
from shoal.cli.errors import BROKEN_PIPE, INTERRUPTED, BadInput
from shoal.cli.verbs import VERBS


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and exit with its code."""
    if sys.stdout.encoding.lower() != "utf-8":
        from shoal.cli.plain import prepare_streams

        prepare_streams()
    sys.exit(run_command(arguments))


def run_command(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. What went wrong is one sentence on stderr."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        code = root.main(given, prog_name="shoal", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more on its way out; there must be something to take it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:  # the edge: whatever it was, people get a sentence
        from shoal.cli.sentences import sentence_of

        sentence, code = sentence_of(error)
        print(f"shoal: {sentence}", file=sys.stderr)
    return code if isinstance(code, int) else 0


class _Verbs(click.Group):
    """The verbs, each imported only when it is the one asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs in the order of the table."""
        return [verb.name for verb in VERBS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, from its module."""
        if not any(verb.name == cmd_name for verb in VERBS):
            return None
        command = importlib.import_module(f"shoal.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        command.name = cmd_name
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that a command line begins with. Raises BadInput where there is none."""
        known = self.get_command(ctx, args[0])
        if known is None:
            raise BadInput(_no_such_verb(args[0]))
        return args[0], known, args[1:]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs by what people do with them."""
        shown = (verb for verb in VERBS if not verb.hidden)
        for section, verbs in groupby(shown, key=lambda verb: verb.section):
            with formatter.section(section):
                formatter.write_dl([(verb.name, verb.help) for verb in verbs])


def _no_such_verb(text: str) -> str:
    import difflib

    names = [verb.name for verb in VERBS if not verb.hidden]
    close = difflib.get_close_matches(text, names, n=1, cutoff=0.5)
    return (
        f"{text[:40]} is not a command; did you mean {close[0]}? All commands: shoal --help"
        if close
        else f"{text[:40]} is not a command. All commands: shoal --help"
    )


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="shoal %(version)s")
def root() -> None:
    """Run programs on shares of GPU cards.

    First steps: shoal up, then shoal run --gpu 1/2 -- python train.py
    """

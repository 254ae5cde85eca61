"""``docs/cli.md`` from the commands themselves: ``python -m shoal.cli.reference > docs/cli.md``."""

import sys
from collections.abc import Iterator
from itertools import groupby

import click

from shoal.cli.main import root
from shoal.cli.verbs import VERBS, Verb

_INTRODUCTION = """\
# Commands

Every command takes `--help`. Listings take `-o table|wide|json|yaml|name`; off a terminal
tables are TSV with every column, without colour. What goes wrong is one sentence on stderr.

| exit code | meaning |
|---|---|
| the program's | of an attached run |
| 128 + n | signal n killed a replica |
| 124 | the time limit ended the run |
| 130 | the run was stopped, or Ctrl-C |
| 2 | what was asked is wrong; nothing was changed |
| 1 | anything else that failed |
"""


def reference() -> str:
    """The whole page, in Markdown."""
    return "\n".join([_INTRODUCTION, *_sections()]).rstrip() + "\n"


def _sections() -> Iterator[str]:
    shown = (verb for verb in VERBS if not verb.hidden)
    for section, verbs in groupby(shown, key=lambda verb: verb.section):
        yield f"## {section}\n"
        for verb in verbs:
            yield from _pages(verb)


def _pages(verb: Verb) -> Iterator[str]:
    command = root.get_command(click.Context(root), verb.name)
    assert command is not None, f"{verb.name} is in the table"
    yield _page(command, f"shoal {verb.name}")
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, f"{name} is listed"
            yield _page(below, f"shoal {verb.name} {name}")


def _page(command: click.Command, path: str) -> str:
    context = click.Context(
        command,
        info_name=path,
        terminal_width=100,
        max_content_width=100,
        help_option_names=["-h", "--help"],
    )
    return f"### {path}\n\n```\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(reference())

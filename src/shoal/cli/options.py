"""Options that several verbs share, so that they mean the same everywhere."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import click
import msgspec

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]

namespace_option: Final[Decorator] = click.option(
    "-n", "--namespace", default="", metavar="NAME", help="The project meant.  [default: default]"
)
output_option: Final[Decorator] = click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "wide", "json", "yaml", "name"]),
    default="table",
    show_default=True,
    help="How to write it; off a terminal tables are TSV.",
)


class Asked(msgspec.Struct, frozen=True):
    """What a command line asks of a run; None and empty mean: not given."""

    name: str | None
    gpu: str | None
    replicas: int | None
    pack: bool
    cpu: str | None
    memory: str | None
    shm: str | None
    queue: str | None
    image: str | None
    priority: str | None
    time: str | None
    retry: int | None
    env: tuple[str, ...]
    code: str | None
    in_place: bool
    file: str | None
    command: tuple[str, ...]


_RUN_OPTIONS: Final[Sequence[Decorator]] = (
    click.option("--name", metavar="NAME", help="Name of the run.  [default: from the command]"),
    click.option(
        "--gpu", metavar="AMOUNT", help="Cards for each replica: 2, 1/2, 10Gi, 4x0.5, A100:1/4."
    ),
    click.option(
        "--replicas",
        type=click.IntRange(1, 1000),
        metavar="N",
        help="Copies that start together.",
    ),
    click.option("--pack", is_flag=True, help="Let replicas share a card."),
    click.option("--cpu", metavar="N", help="CPUs for each replica: 8, 500m."),
    click.option("--memory", metavar="SIZE", help="Memory for each replica: 32Gi."),
    click.option("--shm", metavar="SIZE", help="Shared memory for each replica."),
    click.option("--queue", metavar="NAME", help="Queue to wait in.  [default: default]"),
    click.option("--image", metavar="REF", help="What to run in.  [default: host]"),
    click.option("--priority", metavar="NAME", help="low, normal or high.  [default: normal]"),
    click.option("--time", metavar="DURATION", help="Longest time an attempt may take: 12h, 30m."),
    click.option(
        "--retry", type=click.IntRange(0, 100), metavar="N", help="How often to try again."
    ),
    click.option(
        "--env", multiple=True, metavar="K[=V]", help="A variable; K alone takes its value here."
    ),
    click.option(
        "--code", metavar="FOLDER", help="Folder to run in, as it is now.  [default: this one]"
    ),
    click.option("--in-place", is_flag=True, help="Run in the folder itself, not in a copy."),
    click.option(
        "-f", "--file", metavar="FILE", help="A run file, - for stdin; options overrule it."
    ),
    click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] COMMAND..."),
)

RUN_CONTEXT: Final = {"allow_interspersed_args": False}
"""Context settings of commands that end in another command line."""


def run_options(command: Function) -> Function:
    """Give a command the options of a run, handed to it as ``asked``."""

    @functools.wraps(command)
    def gather(**given: Any) -> Any:  # noqa: ANN401 - as click calls it
        asked = Asked(**{name: given.pop(name) for name in Asked.__struct_fields__})
        return command(asked=asked, **given)

    made: Function = gather
    for option in reversed(_RUN_OPTIONS):
        made = option(made)
    return made

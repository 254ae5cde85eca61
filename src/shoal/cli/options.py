"""Options that several verbs share, so that they mean the same everywhere."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import click
import msgspec

from shoal.cli.errors import BadInput

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]

EXAMPLES: Final = {
    "--gpu": "--gpu 1/2",
    "--replicas": "--replicas 4",
    "--cpu": "--cpu 8",
    "--memory": "--memory 32Gi",
    "--shm": "--shm 8Gi",
    "--queue": "--queue default",
    "--image": "--image host",
    "--priority": "--priority high",
    "--time": "--time 12h",
    "--retry": "--retry 3",
    "--env": "--env SEED=1",
    "--code": "--code .",
    "--name": "--name resnet",
    "--file": "-f run.yaml",
    "--namespace": "-n default",
    "--output": "-o yaml",
    "--selector": "-l shoal.dev/run=digits",
    "--rank": "--rank 0",
    "--tail": "--tail 100",
    "--attempt": "--attempt 0",
    "--port": "--port 7470",
    "--gpus": "--gpus sim:2xA100-80GB",
    "--node-name": "--node-name box1",
    "--trace": "--trace openb:default",
    "--format": "--format openb",
    "--nodes": "--nodes nodes.csv",
    "--pods": "--pods pods.csv",
    "--policy": "--policy best-fit",
    "--policies": "--policies best-fit,idle-value",
    "--load": "--load 1.3",
    "--seeds": "--seeds 42..51",
    "--figure": "--figure loads.svg",
}
"""A right use of each option, by its long name."""


class Option(click.Option):
    """An option that is not given empty: ``--gpu "$GPU"`` with GPU unset is a mistake."""

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Read what the command line says. Raises BadInput where it says nothing."""
        assert self.name is not None, "every option is named by its flag"
        if opts.get(self.name) == "":
            name = self.opts[-1]
            raise BadInput(f"{name} is given empty; leave it out, or: {EXAMPLES[name]}")
        return super().handle_parse_result(ctx, opts, args)


option: Final = functools.partial(click.option, cls=Option)
"""``click.option`` for what may not be empty."""

namespace_option: Final[Decorator] = option(
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
detach_option: Final[Decorator] = click.option(
    "-d", "--detach", is_flag=True, help="Print the name and leave it running."
)
wait_option: Final[Decorator] = click.option(
    "--wait-for-nodes", is_flag=True, help="Wait even for more than this box could ever give."
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
    option("--name", metavar="NAME", help="Name of the run.  [default: from the command]"),
    option(
        "--gpu", metavar="AMOUNT", help="Cards for each replica: 2, 1/2, 10Gi, 4x0.5, A100:1/4."
    ),
    option(
        "--replicas",
        type=click.IntRange(1, 1000),
        metavar="N",
        help="Copies that start together.",
    ),
    click.option("--pack", is_flag=True, help="Let replicas share a card."),
    option("--cpu", metavar="N", help="CPUs for each replica: 8, 500m."),
    option("--memory", metavar="SIZE", help="Memory for each replica: 32Gi."),
    option("--shm", metavar="SIZE", help="Shared memory for each replica."),
    option("--queue", metavar="NAME", help="Queue to wait in.  [default: default]"),
    option("--image", metavar="REF", help="What to run in.  [default: host]"),
    option("--priority", metavar="NAME", help="low, normal or high.  [default: normal]"),
    option(
        "--time",
        metavar="DURATION",
        help="Longest time an attempt may take: 1.5h, 30m; 90 is seconds.",
    ),
    option("--retry", type=click.IntRange(0, 100), metavar="N", help="How often to try again."),
    option(
        "--env", multiple=True, metavar="K[=V]", help="A variable; K alone takes its value here."
    ),
    option("--code", metavar="FOLDER", help="Folder to run in, as it is now.  [default: this one]"),
    click.option("--in-place", is_flag=True, help="Run in the folder itself, not in a copy."),
    option("-f", "--file", metavar="FILE", help="A run file, - for stdin; options overrule it."),
    click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] COMMAND..."),
)

RUN_CONTEXT: Final = {"allow_interspersed_args": False}
"""Context settings of commands that end in another command line."""


def run_options(command: Function) -> Function:
    """Give a command the options of a run, handed to it as ``asked``."""
    return gathered(command, "asked", Asked, _RUN_OPTIONS)


def gathered(
    command: Function, name: str, kind: type[msgspec.Struct], options: Sequence[Decorator]
) -> Function:
    """Give a command these options, handed to it under one name as a struct with their fields."""

    @functools.wraps(command)
    def gather(**given: object) -> object:
        told = kind(**{field: given.pop(field) for field in kind.__struct_fields__})
        return command(**{name: told}, **given)

    made: Function = gather
    for decorate in reversed(options):
        made = decorate(made)
    return made

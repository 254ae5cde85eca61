"""What the commands below ``sim`` take, and what they make of it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from shoal.cli.errors import BadInput
from shoal.cli.options import EXAMPLES, Function, gathered, option

if TYPE_CHECKING:
    from shoal.core.engine.policy import Policy
    from shoal.sim.trace import Trace

_SEEDS: Final = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?\Z")
_MOST_SEEDS: Final = 1000
_DEFAULT_LOAD: Final = "1.3"
_LOAD: Final = re.compile(r"[0-9]{1,2}(\.[0-9]{1,3})?\Z")


class Replay(msgspec.Struct, frozen=True):
    """What every replay is told on the command line."""

    trace: str | None
    format: str
    nodes: str | None
    pods: str | None
    load: str | None
    departures: bool
    online: bool
    seeds: str
    output: str
    figure: str | None


def replay_options(command: Function) -> Function:
    """Give a command the options of a replay, handed to it as ``replay``."""
    return gathered(command, "replay", Replay, _OPTIONS)


def trace_of(replay: Replay) -> "Trace":
    """The trace meant. Raises BadInput, or TraceError where it cannot be read."""
    files = (replay.nodes, replay.pods)
    if replay.trace is not None:
        if any(files):
            raise BadInput("--trace names a trace; give it alone, or --nodes and --pods")
        from shoal.sim.named import read_named

        return read_named(replay.trace)
    if replay.nodes is None or replay.pods is None:
        raise BadInput(f"name a trace: {EXAMPLES['--trace']}, or two files: --nodes N --pods P")
    from shoal.sim.openb import read_openb

    return read_openb(Path(replay.pods).name, Path(replay.nodes), Path(replay.pods))


def load_of(replay: Replay) -> int | None:
    """Thousandths of all cards that arrive; None: what the trace itself has. Raises BadInput."""
    text = replay.load or _DEFAULT_LOAD
    if replay.load is None and replay.departures:
        return None
    if not _LOAD.match(text) or float(text) == 0:
        raise BadInput(f"--load {text[:40]}: takes how often all cards; {_example('--load')}")
    return round(float(text) * 1000)


def seeds_of(text: str) -> list[int]:
    """The seeds in ``42..51`` or ``42,43``. Raises BadInput."""
    seeds: list[int] = []
    for part in text.split(","):
        found = _SEEDS.match(part)
        if found is None:
            raise BadInput(f"--seeds {text[:40]}: takes numbers; {_example('--seeds')}, or 42,43")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first or last - first >= _MOST_SEEDS:
            told = f"--seeds {text[:40]}: takes from 1 to {_MOST_SEEDS} numbers, the least first"
            raise BadInput(f"{told}; {_example('--seeds')}")
        seeds.extend(range(first, last + 1))
    return list(dict.fromkeys(seeds))


def policy_of(text: str, flag: str) -> "Policy":
    """The policy of that name. Raises BadInput."""
    from shoal.core.engine.policy import Policy

    try:
        return Policy(text)
    except ValueError:
        known = ", ".join(Policy)
        raise BadInput(f"{flag} {text[:40]}: is none of {known}; {_example(flag)}") from None


def picture_of(replay: Replay) -> Path | None:
    """The file to draw into. Raises PictureError where that could not be done in the end."""
    if replay.figure is None:
        return None
    from shoal.sim.pictures import check_picture

    path = Path(replay.figure)
    check_picture(path)
    return path


def _example(flag: str) -> str:
    return f"example: {EXAMPLES[flag]}"


_OPTIONS: Final[list[Callable[[Function], Function]]] = [
    option("--trace", metavar="NAME", help="A trace by name: openb:default."),
    option(
        "--format",
        type=click.Choice(["openb"]),
        default="openb",
        show_default=True,
        help="The format of the two files.",
    ),
    option("--nodes", metavar="FILE", help="The list of nodes."),
    option("--pods", metavar="FILE", help="The list of pods."),
    option(
        "--load",
        metavar="X",
        show_default=_DEFAULT_LOAD,
        help="How much arrives: X times all cards. With --departures: is asked for at a time.",
    ),
    click.option(
        "--departures",
        is_flag=True,
        help="Pods end when they did in the trace, others wait; without --load at its own times.",
    ),
    click.option(
        "--online",
        is_flag=True,
        help="Policies know nothing of the trace before; they learn from what has arrived.",
    ),
    option(
        "--seeds",
        metavar="A..B",
        default="42",
        show_default=True,
        help="Random orders to replay in: 42..51, or 42,43.",
    ),
    option("--figure", metavar="FILE", help="Draw it: FILE.svg or FILE.png."),
    click.option(
        "-o",
        "--output",
        type=click.Choice(["table", "json", "yaml"]),
        default="table",
        show_default=True,
        help="How to write it; off a terminal tables are TSV.",
    ),
]

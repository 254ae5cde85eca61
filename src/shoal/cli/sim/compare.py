"""``shoal sim compare``: a trace with several policies."""

import click

from shoal.cli.options import option
from shoal.cli.sim.options import Replay, policy_of, replay_options


@click.command()
@option(
    "--policies",
    metavar="NAMES",
    default="random,best-fit,fgd-published,idle-value",
    show_default=True,
    help="Ways to rank places, commas between them.",
)
@replay_options
def command(policies: str, replay: Replay) -> None:
    """Replay a trace with several policies.

    \b
    shoal sim compare --trace openb:default --policies best-fit,idle-value --seeds 42..51
    shoal sim compare --trace openb:default --departures --load 0.95 --figure waits.png
    """
    from shoal.cli.output import Format, write_document, write_table
    from shoal.cli.sim.replay import replay_with

    named = list(dict.fromkeys(policy_of(each, "--policies") for each in policies.split(",")))
    found = replay_with(named, replay)
    if replay.output == "table":
        write_table(*found.by_policy)
    else:
        write_document({"runs": found.documents}, Format(replay.output))

"""``shoal sim run``: a trace with one policy."""

import click

from shoal.cli.options import option
from shoal.cli.sim.options import Replay, policy_of, replay_options


@click.command()
@option(
    "--policy",
    metavar="NAME",
    default="idle-value",
    show_default=True,
    help="How places are ranked; any name that is none lists them.",
)
@replay_options
def command(policy: str, replay: Replay) -> None:
    """Replay a trace with one policy.

    \b
    shoal sim run --trace openb:default --policy best-fit --seeds 42..51
    shoal sim run --nodes nodes.csv --pods pods.csv --load 1.1 -o json
    shoal sim run --nodes nodes.csv --pods pods.csv --departures --figure day.svg
    """
    from shoal.cli.output import Format, write_document, write_table
    from shoal.cli.sim.replay import replay_with

    found = replay_with([policy_of(policy, "--policy")], replay)
    if replay.output == "table":
        write_table(*found.by_seed)
    else:
        write_document(found.documents[0], Format(replay.output))

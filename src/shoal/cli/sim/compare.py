"""``shoal sim compare``: a trace with several policies."""

import click

from shoal.cli.options import option
from shoal.cli.sim.options import (
    Replay,
    load_of,
    picture_of,
    policy_of,
    replay_options,
    seeds_of,
    trace_of,
)


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
    """
    from shoal.cli.output import Format, write_document, write_table
    from shoal.cli.sim.warn import warn_of_never
    from shoal.sim.document import document_of
    from shoal.sim.many import run_seeds
    from shoal.sim.pictures import draw_loads
    from shoal.sim.table import policy_table

    named = dict.fromkeys(policy_of(each, "--policies") for each in policies.split(","))
    load, seeds = load_of(replay.load), seeds_of(replay.seeds)
    picture = picture_of(replay)
    trace = trace_of(replay)
    warn_of_never(trace)
    found = {policy: list(run_seeds(trace, policy, load, seeds)) for policy in named}
    if picture is not None:
        draw_loads(picture, trace.name, found)
    if replay.output == "table":
        write_table(*policy_table(found))
    else:
        runs = [document_of(trace, policy, load, records) for policy, records in found.items()]
        write_document({"runs": runs}, Format(replay.output))

"""``shoal sim run``: a trace with one policy."""

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
    """
    from shoal.cli.output import Format, write_document, write_table
    from shoal.cli.sim.warn import warn_of_never
    from shoal.sim.document import document_of
    from shoal.sim.many import run_seeds
    from shoal.sim.pictures import draw_loads
    from shoal.sim.table import seed_table

    ranked, load, seeds = (
        policy_of(policy, "--policy"),
        load_of(replay.load),
        seeds_of(replay.seeds),
    )
    picture = picture_of(replay)
    trace = trace_of(replay)
    warn_of_never(trace)
    records = list(run_seeds(trace, ranked, load, seeds))
    if picture is not None:
        draw_loads(picture, trace.name, {ranked: records})
    if replay.output == "table":
        write_table(*seed_table(records))
    else:
        write_document(document_of(trace, ranked, load, records), Format(replay.output))

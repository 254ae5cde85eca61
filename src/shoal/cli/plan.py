"""``shoal plan``: what a run would get now."""

from typing import TYPE_CHECKING

import click

from shoal.cli.options import RUN_CONTEXT, Asked, namespace_option, run_options, wait_option

if TYPE_CHECKING:
    from shoal.core.report import Plan


@click.command(context_settings=RUN_CONTEXT)
@run_options
@click.option("-d", "--detach", is_flag=True, hidden=True)
@wait_option
@namespace_option
def command(asked: Asked, detach: bool, wait_for_nodes: bool, namespace: str) -> None:
    """Say what a run would get now; change nothing.

    Takes the options of run, and needs no command. Says where it would start, or why it would
    wait, until when, and what would start sooner. What run would refuse is refused here too.
    """
    del detach  # of a command line that was meant for run
    from shoal.cli.errors import CommandError
    from shoal.cli.limits import CARD_MEMORY
    from shoal.cli.prepare import prepare
    from shoal.cli.scheduler import NO_SCHEDULER
    from shoal.cli.submit import check, destination

    prepared = prepare(asked, needs_command=False)
    here = destination(prepared, namespace)
    plan = check(here, prepared, wait_for_nodes=wait_for_nodes)
    if plan is None:
        raise CommandError(NO_SCHEDULER)
    *facts, unchanged = _facts(plan)
    limits = [CARD_MEMORY] if prepared.spec.gpu else []
    print("\n".join([*facts, *limits, unchanged]))


def _facts(plan: "Plan") -> list[str]:
    from shoal.cli.say import say_clock
    from shoal.core.report import Verdict
    from shoal.core.words import say_plan, say_reason

    first, *rest = say_plan(plan, say_clock)
    if plan.verdict is Verdict.NEVER and plan.reason is not None:
        first = f"would wait for more nodes: {say_reason(plan.reason, say_clock)}"
    return [first, *rest]

"""``shoal plan``: what a run would get now."""

import click

from shoal.cli.options import RUN_CONTEXT, Asked, namespace_option, run_options


@click.command(context_settings=RUN_CONTEXT)
@run_options
@namespace_option
def command(asked: Asked, namespace: str) -> None:
    """Say what a run would get now; change nothing.

    Takes the options of run, and needs no command. Says where it would start, or why it would
    wait, until when, and what would start sooner.
    """
    from shoal.cli.context import Here
    from shoal.cli.errors import CommandError
    from shoal.cli.limits import CARD_MEMORY
    from shoal.cli.naming import name_of
    from shoal.cli.prepare import prepare
    from shoal.cli.say import say_clock
    from shoal.cli.scheduler import NO_SCHEDULER, ask_plan
    from shoal.core.words import say_plan

    prepared = prepare(asked, needs_command=False)
    here = Here(namespace or prepared.namespace)
    plan = ask_plan(here, prepared.document(prepared.name or name_of(prepared.spec.run)))
    if plan is None:
        raise CommandError(NO_SCHEDULER)
    *facts, unchanged = say_plan(plan, say_clock)
    limits = [CARD_MEMORY] if prepared.spec.gpu else []
    print("\n".join([*facts, *limits, unchanged]))

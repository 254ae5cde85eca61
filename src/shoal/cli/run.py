"""``shoal run``: hand in a run and watch it."""

import click

from shoal.cli.options import (
    RUN_CONTEXT,
    Asked,
    detach_option,
    namespace_option,
    run_options,
    wait_option,
)


@click.command(context_settings=RUN_CONTEXT)
@run_options
@detach_option
@wait_option
@namespace_option
def command(asked: Asked, detach: bool, wait_for_nodes: bool, namespace: str) -> int:
    """Run a program on a share of a card.

    The folder you are in is copied as it is now, so that editing it changes nothing; what
    .gitignore and .shoalignore name stays out. Output is shown as it comes; Ctrl-C asks whether
    to detach or to stop. The exit code is the program's: 128 and the number of a signal that
    killed it, 124 if its time limit ended it, 130 if it was stopped.

    \b
    shoal run --gpu 1/2 --name digits -- python train.py
    shoal run --replicas 4 --gpu 1/4 --pack -- python ring.py
    shoal run -f run.yaml
    """
    from shoal.cli.attached import watch_run
    from shoal.cli.prepare import prepare
    from shoal.cli.submit import destination, headline, submit

    prepared = prepare(asked)
    here = destination(prepared, namespace)
    submitted = submit(here, prepared, wait_for_nodes=wait_for_nodes)
    if detach:
        print(submitted.run.metadata.name)
        return 0
    return watch_run(here, submitted.run, headline(submitted))

"""``shoal attach``: watch a run that goes on."""

import click

from shoal.cli.options import namespace_option


@click.command()
@click.argument("name")
@namespace_option
def command(name: str, namespace: str) -> int:
    """Watch a run as if it had been started here.

    Shows what it printed from the start and goes on; the exit code is the program's. Of a run
    that has ended it shows the output and the end.
    """
    from shoal.cli.attached import watch_run
    from shoal.cli.context import Here

    here = Here(namespace)
    return watch_run(here, here.run(name))

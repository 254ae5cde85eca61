"""``shoal stop``: end runs."""

from typing import TYPE_CHECKING

import click

from shoal.cli.options import namespace_option

if TYPE_CHECKING:
    from shoal.api.run import Run
    from shoal.cli.context import Here


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--no-wait", is_flag=True, help="Do not wait until they have ended.")
@namespace_option
def command(names: tuple[str, ...], no_wait: bool, namespace: str) -> None:
    """End runs.

    Each program gets SIGTERM, time to clean up, and SIGKILL after that. Without --no-wait it
    returns once everything has ended and its cards are free.
    """
    from shoal.cli.context import Here

    here = Here(namespace)
    runs = [here.run(name) for name in dict.fromkeys(names)]
    asked = [_ask(here, run) for run in runs]
    for run in asked:
        _report(run if no_wait or run.status.phase.ended else _wait(here, run))


def _ask(here: "Here", run: "Run") -> "Run":
    from shoal.api.kinds import RUNS

    if run.status.phase.ended:
        return run
    patch = {"spec": {"stop": True}}
    return here.client.patch(RUNS, run.metadata.name, here.namespace, patch=patch)


def _wait(here: "Here", run: "Run") -> "Run":
    from queue import SimpleQueue

    from shoal.api.kinds import RUNS
    from shoal.api.run import Run
    from shoal.cli.attached.follow import Changed, Follower, Inbox, Lost

    inbox: Inbox = SimpleQueue()
    fields = f"metadata.name={run.metadata.name}"
    since = run.metadata.resource_version
    Follower(here.client, RUNS, here.namespace, inbox, fields=fields, since=since).start()
    while True:
        match inbox.get():
            case Changed(object=Run() as changed, deleted=deleted):
                if deleted or changed.status.phase.ended:
                    return changed
            case Lost(error=error):
                raise error


def _report(run: "Run") -> None:
    from shoal.cli.say import say_phase

    name, phase = run.metadata.name, run.status.phase
    print(f"{name} {say_phase(phase)}" if phase.ended else f"{name} is being stopped")

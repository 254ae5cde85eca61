"""``shoal loops``: the controllers and the scheduler of a box, in one process."""

import asyncio
from collections.abc import Callable

import click


@click.command(hidden=True)
@click.option("--only", type=click.Choice(["controllers", "scheduler"]), help="Run one of them.")
@click.option("--go-fd", type=int, hidden=True)
def command(only: str | None, go_fd: int | None) -> None:
    """Run the controllers and the scheduler against the API server of the home."""
    from shoal.cli.box.child import run_child

    run_child(lambda ready: _work(only, lambda: ready("")), go_fd)


async def _work(only: str | None, ready: Callable[[], None]) -> None:
    from shoal.controllers.main import run_controllers
    from shoal.kube.client import Client
    from shoal.kube.config import home_path, load_config
    from shoal.scheduler.main import run_scheduler

    async with Client(load_config()) as client, asyncio.TaskGroup() as group:
        if only != "scheduler":
            group.create_task(run_controllers(client, ready=ready if only else _not_yet))
        if only != "controllers":
            group.create_task(run_scheduler(client, home_path(), ready=ready))


def _not_yet() -> None:
    """With a scheduler beside them it is that one that people wait for."""

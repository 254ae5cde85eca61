"""``shoal loops``: the controllers and the scheduler of a box, in one process."""

import asyncio
from collections.abc import Callable

import click


@click.command(hidden=True)
@click.option("--go-fd", type=int, hidden=True)
def command(go_fd: int | None) -> None:
    """Run the controllers and the scheduler against the API server of the home."""
    from shoal.cli.box.child import run_child

    run_child(_work, go_fd)


async def _work(ready: Callable[[str], None]) -> None:
    from shoal.controllers.main import run_controllers
    from shoal.kube.client import Client
    from shoal.kube.config import home_path, load_config
    from shoal.scheduler.main import run_scheduler

    async with Client(load_config()) as client, asyncio.TaskGroup() as group:
        group.create_task(run_controllers(client))
        group.create_task(run_scheduler(client, home_path(), ready=lambda: ready("")))

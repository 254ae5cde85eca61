"""``shoal loops``: the controllers and the scheduler of a box, in one process."""

import asyncio
import contextlib
from collections.abc import Callable

import click


@click.command(hidden=True)
@click.option("--only", type=click.Choice(["controllers", "scheduler"]), help="Run one of them.")
@click.option("--go-fd", type=int, hidden=True)
def command(only: str | None, go_fd: int | None) -> None:
    """Run the controllers and the scheduler against the API server of the home."""
    from shoal.cli.box.child import run_child
    from shoal.units.built import NotBuiltError
    from shoal.units.onlyone import NotAloneError

    run_child(
        lambda ready: _work(only, lambda: ready("")), go_fd, fatal=(NotAloneError, NotBuiltError)
    )


async def _work(only: str | None, ready: Callable[[], None]) -> None:
    """Each part alone in its home: two of one would undo each other's work."""
    from shoal.kube.config import home_path
    from shoal.units.onlyone import only_one

    parts = [only] if only else ["controllers", "scheduler"]
    async with contextlib.AsyncExitStack() as locks:
        for part in parts:
            await locks.enter_async_context(only_one(home_path(), part))
        await _run(parts, ready)


async def _run(parts: list[str], ready: Callable[[], None]) -> None:
    from shoal.controllers.main import run_controllers
    from shoal.kube.client import Client
    from shoal.kube.config import home_path, load_config
    from shoal.scheduler.main import run_scheduler

    async with Client(load_config()) as client, asyncio.TaskGroup() as group:
        if "controllers" in parts:
            told = ready if len(parts) == 1 else _not_yet
            group.create_task(run_controllers(client, ready=told))
        if "scheduler" in parts:
            group.create_task(run_scheduler(client, home_path(), ready=ready))


def _not_yet() -> None:
    """With a scheduler beside them it is that one that people wait for."""

"""The scheduler of one box or cluster, from its watches to its socket."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from shoal.api import kinds
from shoal.api.kinds import Kind
from shoal.kube.client import Client
from shoal.kube.reflector import Reflector
from shoal.kube.sockets import serve_unix
from shoal.scheduler.loop import Loop
from shoal.scheduler.serve import application

SOCKET: Final = "svc-shoal-scheduler.sock"
"""Name of the socket in the home's folder of sockets, where the API server's proxy looks."""

_WATCHED: Final[tuple[Kind[Any], ...]] = (
    kinds.NODES,
    kinds.RESOURCE_SLICES,
    kinds.RUNS,
    kinds.GANGS,
    kinds.PODS,
    kinds.RESOURCE_CLAIMS,
)

_log = logging.getLogger(__name__)


async def run_scheduler(
    client: Client, home: Path, *, ready: Callable[[], None] = lambda: None
) -> None:
    """Schedule until cancelled. ``home`` is where its socket goes.

    ``ready`` is called once everything was seen and questions are answered.
    """
    loop = Loop(client)
    async with asyncio.TaskGroup() as tasks:
        await _follow(tasks, client, loop, _WATCHED)
        # An agent lists a claim before it looks whether the claim is allocated. So a list that
        # is read after the claims names whatever still runs on one that was cleared by then.
        await _follow(tasks, client, loop, (kinds.NODE_USES,))
        tasks.create_task(loop.conditions.run())
        tasks.create_task(loop.events.run())
        tasks.create_task(loop.extended.run())
        runner = await serve_unix(home / "sock" / SOCKET, application(loop))
        try:
            _log.info("scheduling")
            ready()
            await loop.run()
        finally:
            await runner.cleanup()


async def _follow(
    tasks: asyncio.TaskGroup, client: Client, loop: Loop, watched: tuple[Kind[Any], ...]
) -> None:
    """Watch these kinds from now on; return when all of each was seen."""
    reflectors = [Reflector(client, kind, on_delta=loop.see) for kind in watched]
    for reflector in reflectors:
        tasks.create_task(reflector.run())
    for reflector in reflectors:
        await reflector.synced.wait()

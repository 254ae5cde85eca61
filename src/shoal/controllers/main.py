"""All controllers of a box, in one task group."""

import asyncio
from collections.abc import Callable

from shoal.controllers.bootstrap import bootstrap
from shoal.controllers.builtin.claims import ClaimController
from shoal.controllers.builtin.events import EventExpiry
from shoal.controllers.builtin.garbage import GarbageCollector
from shoal.controllers.builtin.jobs.controller import JobController
from shoal.controllers.builtin.namespaces import NamespaceController
from shoal.controllers.builtin.nodes import NodeController
from shoal.controllers.builtin.serviceaccounts import ServiceAccountController
from shoal.controllers.builtin.taints import TaintController
from shoal.controllers.informers import Informers
from shoal.controllers.run import RunController
from shoal.kube.client import Client


async def run_controllers(client: Client, *, ready: Callable[[], None] = lambda: None) -> None:
    """Make what a box starts with, then run every controller until cancelled.

    ``ready`` is called once everything was seen.
    """
    await bootstrap(client)
    informers = Informers(client)
    controllers = (
        RunController(client, informers),
        ClaimController(client, informers),
        JobController(client, informers),
        ServiceAccountController(client, informers),
        GarbageCollector(client, informers),
        NamespaceController(client, informers),
        NodeController(client, informers),
        TaintController(client, informers),
        EventExpiry(client),
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(informers.run())
        for controller in controllers:
            group.create_task(controller.run())
        await informers.synced()
        ready()

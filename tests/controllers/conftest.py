"""A real API server in a process of its own, with the controllers against it.

The tests play scheduler and agent by hand.
"""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.serving import api_server

from shoal.api.kinds import NAMESPACES, PODS, RESOURCE_CLAIMS, RUNS, Kind
from shoal.api.meta import API_VERSION
from shoal.api.pod import Pod
from shoal.api.run import Run
from shoal.controllers.main import run_controllers
from shoal.kube.client import Client
from shoal.kube.config import load_config
from shoal.kube.errors import ApiError
from shoal.units.instant import format_instant

BOUND_S = 20.0
"""How long anything may take before a test gives up; nothing is measured."""


class Hand:
    """A client of one namespace that plays scheduler and agent."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace

    async def submit(self, name: str, **spec: Any) -> Run:
        """Hand in a run of ``true`` with these fields."""
        body = {
            "apiVersion": API_VERSION,
            "kind": "Run",
            "metadata": {"name": name, "namespace": self.namespace},
            "spec": {"run": "true", **spec},
        }
        return await self.client.create(RUNS, body, self.namespace)

    async def make(self, kind: Kind[Any], name: str, **fields: Any) -> Any:
        """Make any object."""
        metadata = {"name": name, "namespace": self.namespace, **fields.pop("metadata", {})}
        body = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata, **fields}
        return await self.client.create(kind, body, self.namespace)

    async def until(self, told: Callable[[], Awaitable[Any]]) -> Any:
        """What ``told`` answers once that is true; an object not found is not true yet."""
        async with asyncio.timeout(BOUND_S):
            while True:
                with contextlib.suppress(ApiError):
                    if answer := await told():
                        return answer
                await asyncio.sleep(0.02)

    async def there(self, kind: Kind[Any], name: str) -> Any:
        """The object, once it exists."""
        return await self.until(lambda: self.client.get(kind, name, self.namespace))

    async def gone(self, kind: Kind[Any], name: str) -> None:
        """Wait until an object does not exist."""

        async def absent() -> bool:
            try:
                await self.client.get(kind, name, self.namespace)
            except ApiError as error:
                return error.not_found
            return False

        await self.until(absent)

    async def run_where(self, name: str, test: Callable[[Run], bool]) -> Run:
        """The run, once it is as told."""

        async def look() -> Run | None:
            run = await self.client.get(RUNS, name, self.namespace)
            return run if test(run) else None

        return await self.until(look)

    async def run_in(self, name: str, phase: str) -> Run:
        """The run, once it is in a phase."""
        return await self.run_where(name, lambda run: run.status.phase == phase)

    async def bind(self, pod: str, node: str = "box1") -> Pod:
        """The scheduler's part for a pod without claims."""
        await self.there(PODS, pod)
        await self.client.bind(pod, self.namespace, node)
        return await self.there(PODS, pod)

    async def allocate(self, claim: str, pod: str, card: str = "gpu-0") -> None:
        """The scheduler's part for a claim: guard, allocate, reserve."""
        made = await self.there(PODS, pod)
        await self.there(RESOURCE_CLAIMS, claim)
        guard = {"metadata": {"finalizers": ["resource.kubernetes.io/delete-protection"]}}
        await self.client.patch(RESOURCE_CLAIMS, claim, self.namespace, patch=guard)
        result = {
            "request": "gpu",
            "driver": "gpu.shoal.dev",
            "pool": "box1",
            "device": card,
            "shareID": str(uuid.uuid4()),
            "consumedCapacity": {"memory": "1Gi", "compute": "500"},
        }
        consumer = {"resource": "pods", "name": pod, "uid": made.metadata.uid}
        status = {"allocation": {"devices": {"results": [result]}}, "reservedFor": [consumer]}
        await self.client.patch(
            RESOURCE_CLAIMS, claim, self.namespace, patch={"status": status}, subresource="status"
        )

    async def say(self, pod: str, **status: Any) -> None:
        """The agent's part: write a pod's status."""
        await self.client.patch(
            PODS, pod, self.namespace, patch={"status": status}, subresource="status"
        )

    async def start(self, pod: str) -> None:
        """The agent's part: the program runs."""
        state = {"running": {"startedAt": format_instant(1000)}}
        await self.say(pod, phase="Running", containerStatuses=[{"name": "main", "state": state}])

    async def end(self, pod: str, code: int = 0, reason: str = "", **ended: Any) -> None:
        """The agent's part: the program has ended."""
        times = {"startedAt": format_instant(1000), "finishedAt": format_instant(3000)}
        state = {"terminated": {"exitCode": code, **times, **ended}}
        status: dict[str, Any] = {"phase": "Failed" if code or reason else "Succeeded"}
        if reason:
            status["reason"] = reason
        await self.say(pod, containerStatuses=[{"name": "main", "state": state}], **status)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("home")
    with api_server(folder):
        yield folder


@pytest.fixture
async def client(home: Path) -> AsyncIterator[Client]:
    async with Client(load_config(home / "kubeconfig")) as client:
        yield client


@pytest.fixture
async def controllers(client: Client) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(run_controllers(client))
    yield task
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


@pytest.fixture
async def hand(client: Client, controllers: asyncio.Task[None]) -> Hand:
    name = f"t-{uuid.uuid4().hex[:8]}"
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    await client.create(NAMESPACES, body)
    return Hand(client, name)

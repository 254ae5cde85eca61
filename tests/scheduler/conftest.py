"""A real API server for the tests of this room, and a small cluster made of objects in it."""

import asyncio
import contextlib
import itertools
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import serving

from shoal.api import kinds
from shoal.api.claim import ResourceClaim, claim_object
from shoal.api.meta import DRIVER, LABEL_GANG, LABEL_RANK
from shoal.kube.client import Client
from shoal.kube.config import Config, load_config
from shoal.kube.reflector import Reflector
from shoal.mirror.holds import our_results
from shoal.scheduler.loop import Loop
from shoal.scheduler.writer import Writer
from shoal.units.gpu import parse_share
from shoal.units.quantity import parse_quantity

_numbers = itertools.count()


@contextlib.contextmanager
def api_server(home: Path) -> Iterator[Config]:
    """An API server, and how to reach it."""
    with serving.api_server(home) as kubeconfig:
        yield load_config(kubeconfig)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Config]:
    """The server that tests share."""
    with api_server(tmp_path_factory.mktemp("home")) as config:
        yield config


class Box:
    """A namespace and nodes of its own, so that tests do not see each other's work."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace
        self.node = f"node-{namespace}"

    async def add_node(self, *, cards: int = 3, cpu: str = "8") -> None:
        ready = {"type": "Ready", "status": "True"}
        node = await self.client.create(
            kinds.NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.node}}
        )
        status = {
            "allocatable": {"cpu": cpu, "memory": "64Gi"},
            "conditions": [ready],
            "nodeInfo": {"bootID": "b1"},
        }
        await self.client.patch(
            kinds.NODES, node.metadata.name, patch={"status": status}, subresource="status"
        )
        devices = [
            {
                "name": f"gpu-{at}",
                "allowMultipleAllocations": True,
                "attributes": {"model": {"string": "A100-80GB"}, "index": {"int": at}},
                "capacity": {"memory": {"value": "80Gi"}, "compute": {"value": "1000"}},
            }
            for at in range(cards)
        ]
        pool = {"name": self.node, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": DRIVER, "nodeName": self.node, "pool": pool, "devices": devices}
        meta = {"name": f"{self.node}-cards"}
        await self.client.create(
            kinds.RESOURCE_SLICES,
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceSlice",
                "metadata": meta,
                "spec": spec,
            },
        )

    async def add_pod(self, name: str, gpu: str = "", *, gang: str = "", cpu: str = "1") -> str:
        """Create a pod, with a claim of its name if it asks for cards; its uid."""
        if gpu:
            claim = claim_object(name, self.namespace, parse_share(gpu), pack=False)
            await self.client.create(kinds.RESOURCE_CLAIMS, claim, self.namespace)
        labels = {LABEL_GANG: gang, LABEL_RANK: name.rpartition("-")[2]} if gang else {}
        container: dict[str, Any] = {
            "name": "main",
            "image": "host",
            "resources": {"requests": {"cpu": cpu}},
        }
        spec: dict[str, Any] = {"containers": [container]}
        if gpu:
            spec["resourceClaims"] = [{"name": "gpu", "resourceClaimName": name}]
            container["resources"]["claims"] = [{"name": "gpu"}]
        pod = await self.client.create(
            kinds.PODS,
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "labels": labels},
                "spec": spec,
            },
            self.namespace,
        )
        return pod.metadata.uid

    async def add_gang(self, name: str, members: int, gpu: str = "1/2") -> list[str]:
        """Create a gang and its pods; their uids."""
        gang = {
            "apiVersion": "shoal.dev/v1alpha1",
            "kind": "Gang",
            "metadata": {"name": name},
            "spec": {"members": members},
        }
        await self.client.create(kinds.GANGS, gang, self.namespace)
        return [await self.add_pod(f"{name}-{rank}", gpu, gang=name) for rank in range(members)]

    async def nodes_of_pods(self) -> list[str]:
        """Where the pods are, in the order of their names."""
        pods = await self.client.list(kinds.PODS, self.namespace)
        return [p.spec.node_name for p in sorted(pods.items, key=lambda p: p.metadata.name)]

    async def held(self) -> dict[str, list[tuple[str, int]]]:
        """The cards and milli-card that each allocated claim holds."""
        claims = (await self.client.list(kinds.RESOURCE_CLAIMS, self.namespace)).items
        return {c.metadata.name: parts_of(c) for c in claims if c.status.allocation is not None}

    async def phase(self, gang: str) -> str:
        """The phase of a gang."""
        return (await self.client.get(kinds.GANGS, gang, self.namespace)).status.phase

    async def finish(self, pod: str) -> None:
        """End a pod as its agent does, then let its claim go as the claim controller does."""
        patch = {"status": {"phase": "Succeeded"}}
        await self.client.patch(kinds.PODS, pod, self.namespace, patch=patch, subresource="status")
        await self.clear(pod)

    async def clear(self, claim: str) -> None:
        """Let a claim go."""
        cleared = {"status": {"allocation": None, "reservedFor": None}}
        await self.client.patch(
            kinds.RESOURCE_CLAIMS, claim, self.namespace, patch=cleared, subresource="status"
        )

    def reflectors(self, on_delta: Callable[[Any], None]) -> list[Reflector[Any]]:
        """What a scheduler watches, narrowed down to this box."""
        here = [kinds.RUNS, kinds.GANGS, kinds.PODS, kinds.RESOURCE_CLAIMS]
        named = {
            kinds.NODES: self.node,
            kinds.RESOURCE_SLICES: f"{self.node}-cards",
            kinds.NODE_USES: self.node,
        }
        return [
            *(
                Reflector(self.client, kind, fields=f"metadata.name={name}", on_delta=on_delta)
                for kind, name in named.items()
            ),
            *(
                Reflector(self.client, kind, namespace=self.namespace, on_delta=on_delta)
                for kind in here
            ),
        ]

    @contextlib.asynccontextmanager
    async def followed(self, on_delta: Callable[[Any], None]) -> AsyncIterator[None]:
        """Watch this box; inside, all that was there at the start has been seen."""
        reflectors = self.reflectors(on_delta)
        tasks = [asyncio.create_task(reflector.run()) for reflector in reflectors]
        try:
            await asyncio.gather(*(reflector.synced.wait() for reflector in reflectors))
            yield
        finally:
            await end(*tasks)

    @contextlib.asynccontextmanager
    async def scheduled(self, client: Client | None = None) -> AsyncIterator[Loop]:
        """Have a scheduler at work on this box."""
        loop = Loop(client or self.client, Writer(NO_WAITS))
        async with self.followed(loop.see):
            parts = (loop, loop.conditions, loop.events, loop.extended)
            tasks = [asyncio.create_task(part.run()) for part in parts]
            try:
                yield loop
            finally:
                await end(*tasks)


NO_WAITS = (0.0,) * 5


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks; what they failed with before is raised."""
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result


async def wait_until(true: Callable[[], Awaitable[bool]], what: str) -> None:
    """Poll, for as long as a loaded machine may take: the truth is in another process."""
    try:
        async with asyncio.timeout(30):
            while not await true():  # noqa: ASYNC110 - no event crosses processes
                await asyncio.sleep(0.02)
    except TimeoutError:
        pytest.fail(f"it never came to this: {what}")


def parts_of(claim: ResourceClaim) -> list[tuple[str, int]]:
    """The cards of a claim, each with the milli-card held of it."""
    results = our_results(claim)
    return [(r.device, int(parse_quantity(r.consumed_capacity["compute"]))) for r in results]


class Crash(BaseException):
    """The scheduler's process dies here."""


class Fault:
    """What happens to one write: an error, before the server has it or after."""

    def __init__(self, error: BaseException, *, after: bool = False) -> None:
        self.error = error
        self.after = after


class FaultyClient(Client):
    """A client some of whose writes fail, by their number; 1 is the first."""

    def __init__(self, config: Config, fault_of: Callable[[int], Fault | None]) -> None:
        super().__init__(config)
        self.writes = 0
        self._fault_of = fault_of

    async def request(self, method: str, path: str, **more: Any) -> bytes:
        if method == "GET":
            return await super().request(method, path, **more)
        self.writes += 1
        fault = self._fault_of(self.writes)
        if fault is not None and not fault.after:
            raise fault.error
        answer = await super().request(method, path, **more)
        if fault is not None:
            raise fault.error
        return answer


@pytest.fixture
async def client(server: Config) -> AsyncIterator[Client]:
    async with Client(server) as opened:
        yield opened


async def new_box(client: Client) -> Box:
    """A fresh namespace with a node of three cards and 8 CPU."""
    made = Box(client, f"test-{next(_numbers)}")
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": made.namespace}}
    await client.create(kinds.NAMESPACES, namespace)
    await made.add_node()
    return made


@pytest.fixture
async def box(client: Client) -> Box:
    """A box of the test's own."""
    return await new_box(client)


@pytest.fixture(scope="session")
def tools() -> Any:
    """The helpers of this file, for the tests beside it."""
    return sys.modules[__name__]

"""A machine with an agent on it, as tests of whole pods use it."""

import asyncio
import contextlib
import os
import signal
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp

from shoal.agent.cardlocks import CardLocks
from shoal.agent.cgroups import find_cgroups
from shoal.agent.home import Home
from shoal.agent.machine import Machine
from shoal.agent.main import COMPONENT, serve
from shoal.agent.nodeuse import NodeUses
from shoal.agent.processes import kill_whole
from shoal.agent.record import Record, read_record
from shoal.agent.simulated import simulated_cards
from shoal.agent.tools import Timing, Tools
from shoal.api.claim import claim_object
from shoal.api.kinds import NODE_USES, PODS, RESOURCE_CLAIMS
from shoal.api.meta import DRIVER
from shoal.api.pod import ContainerState, Pod
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.events import Events
from shoal.kube.sockets import short_path
from shoal.units.gpu import Share

BOOT = "11111111-1111-1111-1111-111111111111"
QUICK = Timing(first_backoff=0.05, longest_backoff=0.2, first_retry=0.02, longest_retry=0.1)


class Box:
    """Starts and stops the agent of one node; makes pods and waits for what becomes of them."""

    def __init__(self, client: Client, root: Path, node: str, keeper: Path) -> None:
        self.client = client
        self.home = Home(root / "home")
        self.node = node
        self.namespace = node
        self.cards = simulated_cards("sim:2xA100-80GB", self.home.root)
        self.cgroups = find_cgroups()
        self._keeper = keeper
        self._locks = CardLocks(self.home.root, root)
        self._agent: asyncio.Task[None] | None = None

    async def start(self, boot_id: str = BOOT) -> None:
        self._locks.take(self.cards)
        machine = Machine(self.node, boot_id, 4000, 16384)
        tools = Tools(
            home=self.home,
            node=self.node,
            boot_id=boot_id,
            client=self.client,
            uses=NodeUses(self.client, self.node, boot_id),
            events=Events(self.client, COMPONENT),
            cards={card.name: card for card in self.cards},
            locks=self._locks,
            cgroups=self.cgroups,
            keeper=self._keeper,
            timing=QUICK,
        )
        ready = asyncio.Event()
        serving = serve(tools, machine, follow_cards=False, ready=lambda _: ready.set())
        self._agent = asyncio.ensure_future(serving)
        waiting = asyncio.ensure_future(ready.wait())
        await asyncio.wait({self._agent, waiting}, return_when=asyncio.FIRST_COMPLETED)
        assert ready.is_set(), self._agent.exception()

    async def stop(self) -> None:
        """The agent goes; programs and their keepers stay."""
        if self._agent is None:
            return
        self._agent.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._agent
        self._agent = None
        self._locks.close()

    async def reboot(self) -> None:
        """The machine goes down with all that runs, and comes up again."""
        await self.stop()
        for path in self.home.root.glob("pods/*/containers/*/*.record"):
            if not read_record(path).final:
                os.kill(read_record(path).keeper_pid, signal.SIGKILL)
        for pod in self.home.pods:
            await kill_whole(pod.uid, [])
        await self.start(boot_id=str(uuid.uuid4()))

    def kill_keeper(self, pod: Pod) -> None:
        os.kill(self.record(pod).keeper_pid, signal.SIGKILL)

    async def end(self) -> None:
        """Nothing of this box is left."""
        if self._agent is None:
            await self.start()
        for pod in (await self.client.list(PODS, self.namespace)).items:
            await self.delete(pod.metadata.name, grace=0)
        await self.until(lambda: not self.home.pods, "empty folder of pods")
        await self.stop()

    async def create(
        self,
        name: str,
        run: str | list[str] = "true",
        *,
        bind: bool = True,
        meta: dict[str, Any] | None = None,
        main: dict[str, Any] | None = None,
        **spec: Any,
    ) -> Pod:
        """A pod with one container named main; ``meta``, ``main`` and ``spec`` add to it."""
        command = ["sh", "-c", run] if isinstance(run, str) else run
        container = {"name": "main", "image": "host", "command": command, **(main or {})}
        metadata = {"name": name, "namespace": self.namespace, **(meta or {})}
        pod = await self.client.create(
            PODS,
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": metadata,
                "spec": {"restartPolicy": "Never", "containers": [container], **spec},
            },
            self.namespace,
        )
        if bind:
            await self.client.bind(name, self.namespace, self.node)
        return pod

    async def pod(self, name: str) -> Pod:
        return await self.client.get(PODS, name, self.namespace)

    async def delete(self, name: str, grace: int | None = None) -> None:
        with contextlib.suppress(ApiError):
            await self.client.delete(PODS, name, self.namespace, grace=grace)

    async def allocate(self, name: str, pod: Pod, *devices: str, reserve: bool = True) -> str:
        """A claim on whole cards, allocated and reserved for a pod; its uid."""
        share = Share(count=len(devices), milli=1000)
        claim = claim_object(name, self.namespace, share, pack=False)
        made = await self.client.create(RESOURCE_CLAIMS, claim, self.namespace)
        await self.reserve(name, pod if reserve else None, *devices)
        return made.metadata.uid

    async def reserve(self, name: str, pod: Pod | None, *devices: str) -> None:
        held = await self.client.get_raw(RESOURCE_CLAIMS, name, self.namespace)
        results = [
            {"request": "gpu", "driver": DRIVER, "pool": self.node, "device": device}
            for device in devices
        ]
        status: dict[str, Any] = {"allocation": {"devices": {"results": results}}}
        if pod is not None:
            meta = pod.metadata
            status["reservedFor"] = [{"resource": "pods", "name": meta.name, "uid": meta.uid}]
        await self.client.replace(RESOURCE_CLAIMS, held | {"status": status}, subresource="status")

    async def held(self) -> list[str]:
        use = await self.client.get(NODE_USES, self.node)
        return [claim.uid for claim in use.status.held]

    async def pod_that(
        self, name: str, true: Callable[[Pod], object], what: str = "the pod"
    ) -> Pod:
        """The pod once it is as ``true`` says."""
        last = None
        for _ in range(3000):
            last = await self.pod(name)
            if true(last):
                return last
            await asyncio.sleep(0.02)
        raise AssertionError(f"waited 60 s for {what}; last: {last}")

    async def ended(self, name: str) -> Pod:
        return await self.pod_that(name, lambda pod: pod.finished, "its end")

    async def running(self, name: str) -> Pod:
        return await self.pod_that(name, lambda pod: state(pod).running, "its start")

    async def until(self, true: Callable[[], object], what: str) -> None:
        for _ in range(3000):
            if true():
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"waited 60 s for {what}")

    async def gone(self, name: str) -> None:
        for _ in range(3000):
            try:
                await self.pod(name)
            except ApiError as error:
                assert error.not_found
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"waited 60 s for the end of pod {name}")

    def record(self, pod: Pod, container: str = "main") -> Record:
        attempt = self.home.pod(pod.metadata.uid).last_attempt(container)
        assert attempt is not None
        return read_record(attempt.record)

    async def logs(self, name: str, container: str = "main", **query: object) -> str:
        """What the agent's socket answers; an error as its code and sentence."""
        path = f"/logs/{self.namespace}/{name}/{container}"
        with short_path(self.home.socket(self.node)) as sock:
            async with (
                aiohttp.ClientSession(connector=aiohttp.UnixConnector(sock)) as session,
                session.get(
                    f"http://agent{path}", params={k: str(v).lower() for k, v in query.items()}
                ) as answer,
            ):
                text = (await answer.read()).decode()
                return text if answer.status == 200 else f"{answer.status} {text}"


def state(pod: Pod, index: int = 0) -> ContainerState:
    """The state of one of a pod's containers."""
    statuses = pod.status.container_statuses
    return statuses[index].state if statuses else ContainerState()

"""Nodes that fall silent, and the taints that say which nodes take no work.

A node whose lease is not renewed becomes *unknown*: it takes no new work. Nothing on it is
ended or given away, since programs live on without their agent. It is ready again as soon as
its lease is renewed.
"""

import asyncio
import logging
import time
from typing import Final

import msgspec

from shoal.api.kinds import LEASES, NODES
from shoal.api.lease import Lease
from shoal.api.meta import find_condition
from shoal.api.node import NOT_READY_TAINT, SILENT, UNREACHABLE_TAINT, Node, Taint, is_unknown
from shoal.controllers.builtin.silence import USUAL_S, Silence
from shoal.controllers.informers import Informers
from shoal.controllers.loop import work
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.events import Events, note_about
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue
from shoal.units.instant import format_seconds

NAMESPACE: Final = "kube-node-lease"
LOOK_S: Final = 5.0
"""How often the leases are looked at."""
_WORKERS: Final = 2
_TAINTS: Final = frozenset({NOT_READY_TAINT, UNREACHABLE_TAINT})
_COMPONENT: Final = "node-controller"
_log = logging.getLogger(__name__)


class NodeController:
    """Looks at the leases every ``look_s`` seconds and tells in the nodes what follows."""

    def __init__(self, client: Client, informers: Informers, *, look_s: float = LOOK_S) -> None:
        self._client = client
        self._informers = informers
        self._look_s = look_s
        self._queue: WorkQueue[str] = WorkQueue()
        self._silence = Silence(2 * look_s)
        self._lasts: dict[str, float] = {}
        self._nodes = informers.follow(NODES, self._on_node)
        self._events = Events(client, _COMPONENT)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._informers.synced()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._events.run())
            group.create_task(self._watch_leases())
            group.create_task(work(self._queue, self._look_at, workers=_WORKERS))

    def _on_node(self, delta: Delta[Node]) -> None:
        name = delta.any.metadata.name
        if delta.new is None:
            self._silence.forget(name)
            return
        self._silence.meet(name)
        if delta.old is not None and is_unknown(delta.old) and not is_unknown(delta.new):
            self._silence.hear(name)
        self._queue.add(name)

    async def _watch_leases(self) -> None:
        """A server that does not answer cannot be told anything either, so that is no silence."""
        while True:
            try:
                leases = (await self._client.list(LEASES, NAMESPACE)).items
            except ApiError as error:
                _log.info("leases not read", extra={"error": error.message})
            else:
                self._take(leases)
            await asyncio.sleep(self._look_s)

    def _take(self, leases: list[Lease]) -> None:
        self._silence.look(leases, time.monotonic())
        self._lasts = {
            lease.metadata.name: float(lease.spec.lease_duration_seconds or USUAL_S)
            for lease in leases
        }
        for node in self._nodes:
            if self._is_silent(node) != is_unknown(node):
                self._queue.add(node.metadata.name)

    def _is_silent(self, node: Node) -> bool:
        name = node.metadata.name
        return self._silence.of(name) >= self._lasts.get(name, USUAL_S)

    async def _look_at(self, name: str) -> None:
        node = self._nodes.get("", name)
        if node is None or find_condition(node.status.conditions, "Ready") is None:
            return  # its agent has not reported yet: the taint that it was made with stands
        silent, unknown = self._is_silent(node), is_unknown(node)
        if silent and not unknown:
            node = await self._tell(node, "Unknown", SILENT, _say_silent(name))
        elif unknown and not silent:
            node = await self._tell(node, "True", "AgentReady", "the agent runs pods")
        if (taints := _taints(node)) != node.spec.taints:
            await self._taint(node, taints)

    async def _tell(self, node: Node, status: str, reason: str, message: str) -> Node:
        """Write the condition Ready of a node that was looked at."""
        now = format_seconds(time.time_ns() // 1_000_000)
        ready = {"type": "Ready", "status": status, "reason": reason, "message": message}
        meta = node.metadata
        patch = {
            "metadata": {"uid": meta.uid, "resourceVersion": meta.resource_version},
            "status": {"conditions": [ready | {"lastTransitionTime": now}]},
        }
        told = await self._client.patch(
            NODES, meta.name, patch=patch, strategic=True, subresource="status"
        )
        what = "NodeReady" if status == "True" else "NodeNotReady"
        self._events.tell(note_about(NODES, node, what, message, warning=status != "True"))
        return told

    async def _taint(self, node: Node, taints: list[Taint]) -> None:
        meta = node.metadata
        told = [msgspec.to_builtins(taint) for taint in taints]
        pinned = {"uid": meta.uid, "resourceVersion": meta.resource_version}
        patch = {"metadata": pinned, "spec": {"taints": told or None}}
        await self._client.patch(NODES, meta.name, patch=patch)


def _taints(node: Node) -> list[Taint]:
    """The taints of a node: those of others, and the one that its condition asks for."""
    ready = find_condition(node.status.conditions, "Ready")
    status = ready.status if ready is not None else "False"
    wanted = {"True": "", "Unknown": UNREACHABLE_TAINT}.get(status, NOT_READY_TAINT)
    kept = [one for one in node.spec.taints if one.key not in _TAINTS - {wanted}]
    if wanted and all(one.key != wanted for one in kept):
        kept.append(Taint(key=wanted, effect="NoSchedule"))
    return kept


def _say_silent(name: str) -> str:
    return f"the agent of {name} is silent; what runs there may go on, and keeps its cards"

"""Pods that run on a node whose NoExecute taints they do not tolerate are deleted.

What tolerates them for so many seconds stays so long, counted by a clock that never jumps from
when this process saw both, so never too short. The taints of silent nodes end nothing.
"""

import asyncio
import time
from typing import Final

from shoal.api.kinds import NODES, PODS
from shoal.api.node import Node
from shoal.api.pod import DISRUPTED, Pod
from shoal.controllers.informers import Informers
from shoal.controllers.loop import work
from shoal.core.taints import Taint, untolerated
from shoal.kube.client import Client
from shoal.kube.events import Events, note_about
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue
from shoal.mirror.taints import NO_EXECUTE, counts, taints_of, toleration_of
from shoal.units.instant import format_seconds

Key = tuple[str, str]
_COMPONENT: Final = "taint-eviction-controller"
_WORKERS: Final = 4


class TaintController:
    """Follows nodes and pods, and deletes the pods whose time on a tainted node is over."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._informers = informers
        self._queue: WorkQueue[Key] = WorkQueue()
        self._since: dict[str, float] = {}
        """When each pod that is on a tainted node was first seen there, by uid."""
        self._nodes = informers.follow(NODES, self._on_node)
        self._pods = informers.follow(PODS, self._on_pod)
        self._events = Events(client, _COMPONENT)

    async def run(self) -> None:
        """Work until cancelled."""
        await self._informers.synced()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._events.run())
            group.create_task(work(self._queue, self._look_at, workers=_WORKERS))

    def _on_node(self, delta: Delta[Node]) -> None:
        before, now = _evicting(delta.old), _evicting(delta.new)
        if before == now:
            return
        for pod in self._pods:
            if pod.spec.node_name == delta.any.metadata.name:
                self._queue.add((pod.metadata.namespace, pod.metadata.name))

    def _on_pod(self, delta: Delta[Pod]) -> None:
        pod = delta.any
        if delta.new is None:
            self._since.pop(pod.metadata.uid, None)
        elif _evicting(self._nodes.get("", pod.spec.node_name)):
            self._queue.add((pod.metadata.namespace, pod.metadata.name))

    async def _look_at(self, key: Key) -> None:
        pod = self._pods.get(*key)
        if pod is None:
            return
        taints = _evicting(self._nodes.get("", pod.spec.node_name))
        patience = patience_of(pod, taints)
        if not taints or _is_ending(pod):
            self._since.pop(pod.metadata.uid, None)
        elif patience is not None:
            since = self._since.setdefault(pod.metadata.uid, time.monotonic())
            left = since + patience - time.monotonic()
            if left > 0:
                self._queue.add_after(key, left)
            else:
                await self._evict(pod, taints)

    async def _evict(self, pod: Pod, taints: tuple[Taint, ...]) -> None:
        meta = pod.metadata
        why = f"{pod.spec.node_name} is tainted {', '.join(map(str, taints))}"
        disrupted = {
            "type": DISRUPTED,
            "status": "True",
            "reason": "DeletionByTaintManager",
            "message": why,
            "lastTransitionTime": format_seconds(time.time_ns() // 1_000_000),
        }
        told = {"metadata": {"uid": meta.uid}, "status": {"conditions": [disrupted]}}
        await self._client.patch(
            PODS, meta.name, meta.namespace, patch=told, strategic=True, subresource="status"
        )
        await self._client.delete(PODS, meta.name, meta.namespace, uid=meta.uid)
        self._events.tell(note_about(PODS, pod, "TaintManagerEviction", why, warning=False))


def patience_of(pod: Pod, taints: tuple[Taint, ...]) -> float | None:
    """Seconds for which a pod may stay where these taints are; None for ever.

    Of several tolerations that cover them the shortest counts.
    """
    known = [one for one in pod.spec.tolerations if counts(one)]
    written = [(toleration_of(one), one.toleration_seconds) for one in known]
    if untolerated(taints, tuple(one for one, _ in written)):
        return 0
    covering = [s for one, s in written if any(one.covers(taint) for taint in taints)]
    return min((max(seconds, 0) for seconds in covering if seconds is not None), default=None)


def _evicting(node: Node | None) -> tuple[Taint, ...]:
    """The taints of a node that end what runs there."""
    return taints_of(node.spec.taints, (NO_EXECUTE,)) if node is not None else ()


def _is_ending(pod: Pod) -> bool:
    return pod.finished or pod.metadata.deletion_timestamp is not None

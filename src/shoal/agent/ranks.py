"""Where the replicas of a run meet: rank 0's address and a port that its agent chose.

This is the one seam of the rank environment on one machine: resolved when a member starts, from
rank 0's own pod, on which its agent publishes the port before it starts the program.
"""

import asyncio
import socket
from typing import Final

from shoal.agent.errors import NotYetError
from shoal.agent.node import ADDRESS
from shoal.agent.persist import persist
from shoal.api.kinds import PODS
from shoal.api.meta import (
    ANNOTATION_RANK_PORT,
    LABEL_ATTEMPT,
    LABEL_RANK,
    LABEL_REPLICAS,
    LABEL_RUN,
)
from shoal.api.pod import Pod
from shoal.core.rank import environment
from shoal.kube.client import Client

_LOOKS: Final = 60
_FIRST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 1.0


async def rank_environment(client: Client, pod: Pod) -> dict[str, str]:
    """The rank variables of a run's pod; none for a pod that carries no rank.

    Raises NotYetError if rank 0 does not tell its port in time.
    """
    labels = pod.metadata.labels
    if LABEL_RANK not in labels or LABEL_REPLICAS not in labels:
        return {}
    rank, world = int(labels[LABEL_RANK]), int(labels[LABEL_REPLICAS])
    if rank > 0:
        return environment(rank, world, *await _meeting_place(client, pod))
    port = int(pod.metadata.annotations.get(ANNOTATION_RANK_PORT, "0")) or free_port()
    if world > 1:
        await _publish(client, pod, port)
    return environment(rank, world, ADDRESS, port)


def free_port() -> int:
    """A TCP port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        port: int = probe.getsockname()[1]
        return port


async def _publish(client: Client, pod: Pod, port: int) -> None:
    meta = pod.metadata
    patch = {"metadata": {"uid": meta.uid, "annotations": {ANNOTATION_RANK_PORT: str(port)}}}
    await persist("rank port", lambda: client.patch(PODS, meta.name, meta.namespace, patch=patch))


async def _meeting_place(client: Client, pod: Pod) -> tuple[str, int]:
    labels = pod.metadata.labels
    same = {LABEL_RUN: labels.get(LABEL_RUN, ""), LABEL_RANK: "0"}
    if LABEL_ATTEMPT in labels:
        same[LABEL_ATTEMPT] = labels[LABEL_ATTEMPT]
    selector = ",".join(f"{key}={value}" for key, value in same.items())
    pause = _FIRST_PAUSE_S
    for _ in range(_LOOKS):
        found = await persist(
            "find rank 0", lambda: client.list(PODS, pod.metadata.namespace, labels=selector)
        )
        for first in found.items:
            port = first.metadata.annotations.get(ANNOTATION_RANK_PORT)
            address = _address(first, pod.spec.node_name)
            if port and address:
                return address, int(port)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)
    raise NotYetError("RankZeroPending", "rank 0 has not told where it can be met")


def _address(first: Pod, node: str) -> str:
    """On this node the address is known before rank 0's status tells it."""
    return ADDRESS if first.spec.node_name == node else first.status.host_ip

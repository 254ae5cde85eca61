"""The Node object of this machine, and the lease that says that its agent lives."""

import asyncio
import logging
import os
import platform
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Final

from shoal import __version__
from shoal.agent.machine import Machine, now_ns, seconds, stamp
from shoal.agent.persist import persist
from shoal.api.kinds import LEASES, NAMESPACES, NODES
from shoal.api.meta import ANNOTATION_AGENT
from shoal.api.node import CGROUP_LIMITS, CONTAINER_RUNTIME, Node
from shoal.core.event import Card
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.units.quantity import format_cpu, format_mib
from shoal.units.steady import boot_ns

NO_RUNTIME: Final = "this machine has no container runtime; use image: host"
ADDRESS: Final = "127.0.0.1"
LEASE_NAMESPACE: Final = "kube-node-lease"
LABEL_SIMULATED: Final = "shoal.dev/simulated"
"""Label of a node none of whose cards is real."""

_MOST_PODS: Final = 1000
_LEASE_S: Final = int(os.environ.get("SHOAL_LEASE_SECONDS") or 40)
"""How long the agent's word holds; tests of silence have less patience."""
BEAT_S: Final = _LEASE_S / 4
"""How often it is given again."""
_log = logging.getLogger(__name__)


async def register_node(
    client: Client, machine: Machine, cards: Collection[Card], why_unlimited: str
) -> Node:
    """Creates the Node or brings it up to date. Labels and taints of others are kept."""
    labels = node_labels(machine, cards)
    node: dict[str, Any] = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": machine.name}}
    node["metadata"]["labels"] = labels
    try:
        await persist("create node", lambda: client.create(NODES, node))
    except ApiError as error:
        if not error.already_exists:
            raise
        patch = {"metadata": {"labels": {LABEL_SIMULATED: None, **labels}}}
        await persist("label node", lambda: client.patch(NODES, machine.name, patch=patch))
    status = {"status": node_status(machine, why_unlimited, now_ns())}
    return await persist(
        "node status",
        lambda: client.patch(
            NODES, machine.name, patch=status, strategic=True, subresource="status"
        ),
    )


def node_labels(machine: Machine, cards: Collection[Card]) -> dict[str, str]:
    """The well-known labels that selectors use, and whether the cards are simulated."""
    labels = {
        "kubernetes.io/hostname": machine.name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": _architecture(),
    }
    if cards and all(card.simulated for card in cards):
        labels[LABEL_SIMULATED] = "true"
    return labels


def node_status(machine: Machine, why_unlimited: str, now: int) -> dict[str, Any]:
    """``status`` of the Node; ``why_unlimited`` is empty where cpu and memory limits hold."""
    amounts = {
        "cpu": format_cpu(machine.cpu_milli),
        "memory": format_mib(machine.memory_mib),
        "pods": str(_MOST_PODS),
    }
    limits = why_unlimited or "cpu and memory limits of containers hold"
    return {
        "capacity": amounts,
        "allocatable": amounts,
        "addresses": [
            {"type": "InternalIP", "address": ADDRESS},
            {"type": "Hostname", "address": machine.name},
        ],
        "nodeInfo": _node_info(machine),
        "conditions": [
            _condition("Ready", True, "AgentReady", "the agent runs pods", now),
            _condition(CONTAINER_RUNTIME, False, "NoContainerRuntime", NO_RUNTIME, now),
            _condition(CGROUP_LIMITS, not why_unlimited, "Probed", limits, now),
        ],
    }


async def beat(
    client: Client, node: Callable[[], Node], agent: str, report: Callable[[], Awaitable[None]]
) -> None:
    """Renews the lease of the node as it is now, in the name of its agent; cancel to stop.

    Once nothing was renewed for so long that others may have given the node up, ``report``
    tells them all anew.
    """
    await _make_namespace(client)
    renewed = boot_ns()
    while True:
        try:
            await _renew(client, node(), agent)
            if boot_ns() - renewed > _LEASE_S * 1_000_000_000:
                await report()
            renewed = boot_ns()
        except ApiError as error:
            _log.warning("lease not renewed", extra={"error": error.message})
        await asyncio.sleep(BEAT_S)


def owner(node: Node) -> dict[str, str]:
    """The owner reference by which something goes when the node goes."""
    meta = node.metadata
    return {"apiVersion": "v1", "kind": "Node", "name": meta.name, "uid": meta.uid}


async def _make_namespace(client: Client) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": LEASE_NAMESPACE}}
    try:
        await persist("namespace of leases", lambda: client.create(NAMESPACES, namespace))
    except ApiError as error:
        if not error.already_exists:
            raise


async def _renew(client: Client, node: Node, agent: str) -> None:
    # A MicroTime: six decimals.
    now = stamp(now_ns()).removesuffix("Z") + "000Z"
    name = node.metadata.name
    told = {"ownerReferences": [owner(node)], "annotations": {ANNOTATION_AGENT: agent}}
    spec = {"holderIdentity": name, "leaseDurationSeconds": _LEASE_S, "renewTime": now}
    patch = {"metadata": told, "spec": spec}
    try:
        await client.patch(LEASES, name, LEASE_NAMESPACE, patch=patch)
    except ApiError as error:
        if not error.not_found:
            raise
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "namespace": LEASE_NAMESPACE, **told},
            "spec": spec,
        }
        await client.create(LEASES, lease, LEASE_NAMESPACE)


def _node_info(machine: Machine) -> dict[str, str]:
    return {
        "bootID": machine.boot_id,
        "operatingSystem": "linux",
        "architecture": _architecture(),
        "kernelVersion": platform.release(),
        "osImage": _os_image(),
        "containerRuntimeVersion": "none",
        "kubeletVersion": f"v{__version__}+shoal",
        "kubeProxyVersion": "",
        "machineID": "",
        "systemUUID": "",
    }


def _architecture() -> str:
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def _os_image() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def _condition(kind: str, true: bool, reason: str, message: str, now: int) -> dict[str, str]:
    return {
        "type": kind,
        "status": "True" if true else "False",
        "reason": reason,
        "message": message,
        "lastTransitionTime": seconds(now),
        "lastHeartbeatTime": seconds(now),
    }

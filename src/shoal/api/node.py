"""A typed view of Node."""

from typing import Final

import msgspec

from shoal.api.meta import Condition, Object, View, find_condition

CONTAINER_RUNTIME: Final = "ContainerRuntime"
"""Node condition: whether images other than ``host`` can run here."""
CGROUP_LIMITS: Final = "CgroupLimits"
"""Node condition: whether cpu and memory limits hold here."""

SILENT: Final = "NodeStatusUnknown"
"""Reason of a condition Ready that is Unknown: nothing was heard of the node's agent."""
NOT_READY_TAINT: Final = "node.kubernetes.io/not-ready"
UNREACHABLE_TAINT: Final = "node.kubernetes.io/unreachable"


class Taint(View):
    """A mark that keeps pods away which do not tolerate it."""

    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: str | None = None


class NodeSpec(View):
    """What an operator wants of the node."""

    unschedulable: bool = False
    taints: list[Taint] = []


class NodeSystemInfo(View):
    """What the node is."""

    boot_id: str = msgspec.field(default="", name="bootID")


class NodeAddress(View):
    """One address of the node."""

    type: str = ""
    address: str = ""


class NodeStatus(View):
    """What the node has."""

    capacity: dict[str, str | int] = {}
    allocatable: dict[str, str | int] = {}
    conditions: list[Condition] = []
    addresses: list[NodeAddress] = []
    node_info: NodeSystemInfo = msgspec.field(default_factory=NodeSystemInfo)


class Node(Object):
    """One machine."""

    spec: NodeSpec = msgspec.field(default_factory=NodeSpec)
    status: NodeStatus = msgspec.field(default_factory=NodeStatus)


def is_unknown(node: Node) -> bool:
    """Whether nothing is heard of a node's agent; its programs may go on."""
    ready = find_condition(node.status.conditions, "Ready")
    return ready is not None and ready.status == "Unknown"

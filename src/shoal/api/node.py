"""A typed view of Node."""

from typing import Final

import msgspec

from shoal.api.meta import Condition, Object, View

CONTAINER_RUNTIME: Final = "ContainerRuntime"
"""Node condition: whether images other than ``host`` can run here."""
CGROUP_LIMITS: Final = "CgroupLimits"
"""Node condition: whether cpu and memory limits hold here."""


class NodeSpec(View):
    """What an operator wants of the node."""

    unschedulable: bool = False


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

"""What a node offers, and why it takes no new work if it does not."""

from collections.abc import Iterable
from typing import Final

from shoal.api.claim import MEMORY, Device, ResourceSlice
from shoal.api.meta import ANNOTATION_CLOSED_BY_DOWN, find_condition
from shoal.api.node import CONTAINER_RUNTIME, Node, is_unknown
from shoal.core.event import Card, NodeChanged
from shoal.mirror.taints import taints_of
from shoal.units.errors import UnitError
from shoal.units.quantity import MIB, parse_cpu, parse_quantity

_GOING_DOWN: Final = "the box is going down; it starts after the next shoal up"


def node_fact(node: Node, slices: Iterable[ResourceSlice], *, strays: bool) -> NodeChanged:
    """A node as the core knows it.

    ``strays`` tells whether its agent holds claims of which nobody knows any more what they
    held: nothing can be placed beside them.
    """
    runtime = find_condition(node.status.conditions, CONTAINER_RUNTIME)
    return NodeChanged(
        name=node.metadata.name,
        cpu_milli=_amount(node, "cpu", thousandths=True),
        memory_mib=_amount(node, "memory", thousandths=False),
        cards=cards_of(slices),
        labels=tuple(sorted(node.metadata.labels.items())),
        closed=_closed(node, strays=strays),
        containers=runtime is not None and runtime.status == "True",
        unknown=is_unknown(node),
        taints=taints_of(node.spec.taints),
    )


def cards_of(slices: Iterable[ResourceSlice]) -> tuple[Card, ...]:
    """The cards in a node's slices; only those of the pool's newest generation count."""
    known = list(slices)
    newest = max((one.spec.pool.generation for one in known), default=0)
    current = (one for one in known if one.spec.pool.generation == newest)
    devices = (device for one in current for device in one.spec.devices)
    return tuple(_card(device) for device in sorted(devices, key=_order))


def _closed(node: Node, *, strays: bool) -> str:
    if node.metadata.deletion_timestamp:
        return "being removed"
    if node.spec.unschedulable:
        going_down = ANNOTATION_CLOSED_BY_DOWN in node.metadata.annotations
        return _GOING_DOWN if going_down else "cordoned"
    if (words := _unready(node)) or not strays:
        return words
    return "programs of claims that are gone still run there; their cards are not known"


def _unready(node: Node) -> str:
    """Why a node takes no work by what its agent says, if it does not."""
    ready = find_condition(node.status.conditions, "Ready")
    if ready is None:
        return "its agent has not reported yet"
    if ready.status == "Unknown":
        return "its agent is silent; what runs there may go on, and keeps its cards"
    if ready.status != "True":
        return f"not ready: {ready.message or ready.reason or 'its agent is silent'}"
    return ""


def _amount(node: Node, resource: str, *, thousandths: bool) -> int:
    written = (node.status.allocatable or node.status.capacity).get(resource, 0)
    try:
        return parse_cpu(written) if thousandths else int(parse_quantity(written) / MIB)
    except UnitError:
        return 0


def _card(device: Device) -> Card:
    return Card(
        name=device.name,
        model=_text(device, "model"),
        memory_mib=_memory_mib(device),
        uuid=_text(device, "uuid"),
        simulated=_true(device, "simulated"),
    )


def _memory_mib(device: Device) -> int:
    capacity = device.capacity.get(MEMORY)
    try:
        return int(parse_quantity(capacity.value) / MIB) if capacity is not None else 0
    except UnitError:
        return 0


def _text(device: Device, name: str) -> str:
    value = device.attributes.get(name)
    return (value.string or "") if value is not None else ""


def _true(device: Device, name: str) -> bool:
    value = device.attributes.get(name)
    return value is not None and bool(value.boolean)


def _order(device: Device) -> tuple[int, str]:
    index = device.attributes.get("index")
    return (index.integer or 0) if index is not None else 0, device.name

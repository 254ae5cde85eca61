"""The ResourceSlice of this node: the cards that it offers. One pool, named like the node."""

from typing import Any

from shoal.agent.node import owner
from shoal.agent.persist import persist
from shoal.api.claim import COMPUTE, MEMORY
from shoal.api.kinds import RESOURCE_SLICES
from shoal.api.meta import DRIVER
from shoal.api.node import Node
from shoal.core.event import Card
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.units.gpu import WHOLE
from shoal.units.quantity import canonical


async def publish_cards(client: Client, node: Node, cards: list[Card]) -> None:
    """Makes the node's slice list exactly these cards; writes nothing if it does already."""
    wanted = slice_object(node, cards)
    name = wanted["metadata"]["name"]
    try:
        held = await persist("read slice", lambda: client.get_raw(RESOURCE_SLICES, name))
    except ApiError as error:
        if not error.not_found:
            raise
        await persist("create slice", lambda: client.create(RESOURCE_SLICES, wanted))
        return
    owners = wanted["metadata"]["ownerReferences"]
    same = held["spec"].get("devices", []) == wanted["spec"]["devices"]
    if not same or held["metadata"].get("ownerReferences") != owners:
        wanted["spec"]["pool"]["generation"] = held["spec"]["pool"]["generation"] + 1
        held["spec"] = wanted["spec"]
        held["metadata"]["ownerReferences"] = owners
        await persist("update slice", lambda: client.replace(RESOURCE_SLICES, held))


def slice_name(node: str) -> str:
    """The name of a node's slice."""
    return f"{node}-{DRIVER}"


def slice_object(node: Node, cards: list[Card]) -> dict[str, Any]:
    """The slice as first created."""
    name = node.metadata.name
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": slice_name(name), "ownerReferences": [owner(node)]},
        "spec": {
            "driver": DRIVER,
            "nodeName": name,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "devices": [_device(index, card) for index, card in enumerate(cards)],
        },
    }


def _device(index: int, card: Card) -> dict[str, Any]:
    return {
        "name": card.name,
        "allowMultipleAllocations": True,
        "attributes": {
            "uuid": {"string": card.uuid},
            "model": {"string": card.model},
            "index": {"int": index},
            "simulated": {"bool": card.simulated},
        },
        "capacity": {
            MEMORY: {"value": canonical(f"{card.memory_mib}Mi")},
            # A claim that names no compute holds none: it shares fairly what is left.
            COMPUTE: {
                "value": canonical(str(WHOLE)),
                "requestPolicy": {"default": "0", "validRange": {"min": "0", "step": "1"}},
            },
        },
    }

"""What a box has and does, in words: its cards, its active runs and pods."""

from collections import Counter

from shoal.api.claim import Device, ResourceSlice
from shoal.api.kinds import NODES, PODS, RESOURCE_SLICES, RUNS
from shoal.api.meta import DRIVER, LABEL_RUN
from shoal.api.pod import Pod
from shoal.api.run import Run
from shoal.kube.blocking import BlockingClient

NO_CARDS = "no cards found; to try it with simulated ones: shoal up --gpus sim:2xA100-80GB"
NO_NODE = "none, since no node is there; its agent joins again as soon as it runs"


def say_cards(client: BlockingClient) -> str:
    """``3 cards (2 × A100-80GB, 1 × T4), SIMULATED``."""
    devices = list_devices(client.list(RESOURCE_SLICES).items)
    if not devices:
        return NO_CARDS if client.list(NODES).items else NO_NODE
    models = Counter(_text(device, "model") for device in devices)
    kinds = ", ".join(f"{count} × {model}" for model, count in models.items())
    noun = "card" if len(devices) == 1 else "cards"
    simulated = ", SIMULATED" if any(is_simulated(device) for device in devices) else ""
    return f"{len(devices)} {noun} ({kinds}){simulated}"


def list_devices(slices: list[ResourceSlice]) -> list[Device]:
    """The cards that shoal's agents offer."""
    return [device for s in slices if s.spec.driver == DRIVER for device in s.spec.devices]


def is_simulated(device: Device) -> bool:
    """Whether a card is made up."""
    value = device.attributes.get("simulated")
    return value is not None and bool(value.boolean)


def active_runs(client: BlockingClient) -> list[Run]:
    """Runs that have programs on this box: starting or running."""
    held = {pod.metadata.labels.get(LABEL_RUN) for pod in active_pods(client)}
    return [r for r in client.list(RUNS).items if r.metadata.name in held]


def active_pods(client: BlockingClient) -> list[Pod]:
    """Pods that are bound and have not ended."""
    return [p for p in client.list(PODS).items if p.spec.node_name and not p.finished]


def _text(device: Device, name: str) -> str:
    value = device.attributes.get(name)
    return (value.string if value else None) or "unknown"

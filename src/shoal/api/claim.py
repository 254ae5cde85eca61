"""Typed views of ResourceClaim and ResourceSlice (``resource.k8s.io/v1``), and our configuration.

A claim's allocation is the only ledger of who holds which share of which card. A claim that
shoal makes carries the ``Share`` as asked in its opaque configuration, since a fraction means
something else on each model; capacities are derived from it when a card is chosen.
"""

from typing import Any, Final

import msgspec

from shoal.api.meta import API_VERSION, DRIVER, Object, View
from shoal.units.gpu import Share

MEMORY: Final = "memory"
"""Capacity of a card: bytes of memory."""
COMPUTE: Final = "compute"
"""Capacity of a card: milli-card, 1000 in all."""
REQUEST: Final = "gpu"
"""Name of the request in a claim that shoal makes."""
DELETE_PROTECTION: Final = "resource.kubernetes.io/delete-protection"


class ShareConfig(View, forbid_unknown_fields=True):
    """The opaque parameters of a claim that shoal makes."""

    api_version: str
    kind: str
    share: Share
    pack: bool = False


class Opaque(View):
    """Parameters that only the named driver reads."""

    driver: str = ""
    parameters: dict[str, Any] = {}


class ClaimConfig(View):
    """An entry of ``config``."""

    requests: list[str] = []
    opaque: Opaque | None = None


class CapacityRequests(View):
    """Capacities asked of each device, as written."""

    requests: dict[str, str | int] = {}


class ExactRequest(View):
    """``exactly`` of a request."""

    device_class_name: str = ""
    allocation_mode: str = "ExactCount"
    count: int = 1
    selectors: list[dict[str, Any]] = []
    capacity: CapacityRequests = msgspec.field(default_factory=CapacityRequests)


class DeviceRequest(View):
    """One request of a claim."""

    name: str = ""
    exactly: ExactRequest | None = None


class DeviceClaim(View):
    """``spec.devices`` of a claim. A claim for nothing says so with a null."""

    requests: list[DeviceRequest] | None = None
    constraints: list[dict[str, Any]] = []
    config: list[ClaimConfig] = []


class ClaimSpec(View):
    """What the claim asks for; immutable."""

    devices: DeviceClaim = msgspec.field(default_factory=DeviceClaim)


class AllocationResult(View):
    """One device that a request was given."""

    request: str = ""
    driver: str = ""
    pool: str = ""
    device: str = ""
    share_id: str = msgspec.field(default="", name="shareID")
    consumed_capacity: dict[str, str | int] = {}


class DeviceAllocation(View):
    """``allocation.devices``."""

    results: list[AllocationResult] = []


class Allocation(View):
    """Which devices the claim holds."""

    devices: DeviceAllocation = msgspec.field(default_factory=DeviceAllocation)


class Consumer(View):
    """An entry of ``reservedFor``."""

    resource: str = ""
    name: str = ""
    uid: str = ""


class ClaimStatus(View):
    """What the claim holds, and for whom."""

    allocation: Allocation | None = None
    reserved_for: list[Consumer] = []


class ResourceClaim(Object):
    """A share of one or more cards, asked for and, once allocated, held."""

    spec: ClaimSpec = msgspec.field(default_factory=ClaimSpec)
    status: ClaimStatus = msgspec.field(default_factory=ClaimStatus)


class TypedValue(View):
    """An attribute's value; exactly one is set."""

    integer: int | None = msgspec.field(default=None, name="int")
    string: str | None = None
    boolean: bool | None = msgspec.field(default=None, name="bool")


class DeviceCapacity(View):
    """A capacity of a device."""

    value: str | int = 0


class Device(View):
    """One card in a slice: attributes ``uuid``, ``model``, ``index``, ``simulated``."""

    name: str = ""
    attributes: dict[str, TypedValue] = {}
    capacity: dict[str, DeviceCapacity] = {}


class Pool(View):
    """The pool that a slice belongs to; on shoal's nodes one pool of the node's name."""

    name: str = ""
    generation: int = 1
    resource_slice_count: int = 1


class SliceSpec(View):
    """The devices of one node."""

    driver: str = ""
    node_name: str = ""
    pool: Pool = msgspec.field(default_factory=Pool)
    devices: list[Device] = []


class ResourceSlice(Object):
    """What a node's driver offers."""

    spec: SliceSpec = msgspec.field(default_factory=SliceSpec)


def claim_object(name: str, namespace: str, share: Share, *, pack: bool) -> dict[str, Any]:
    """A ResourceClaim for a share, ready to be created; the caller adds owner and labels."""
    config = ShareConfig(api_version=API_VERSION, kind="ShareConfig", share=share, pack=pack)
    opaque = {"driver": DRIVER, "parameters": msgspec.to_builtins(config)}
    exactly = {"deviceClassName": DRIVER, "allocationMode": "ExactCount", "count": share.count}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "devices": {
                "requests": [{"name": REQUEST, "exactly": exactly}],
                "config": [{"requests": [REQUEST], "opaque": opaque}],
            }
        },
    }


def share_config(claim: ResourceClaim) -> ShareConfig | None:
    """Our configuration in a claim; None in a claim that somebody else wrote.

    Raises msgspec.ValidationError where the parameters for our driver are malformed.
    """
    for entry in claim.spec.devices.config:
        if entry.opaque is not None and entry.opaque.driver == DRIVER:
            return msgspec.convert(entry.opaque.parameters, ShareConfig)
    return None

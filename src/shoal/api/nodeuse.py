"""NodeUse: what a node's agent still holds. One object a node, cluster-scoped, named like it.

The agent writes a claim's uid here before it starts a program on it, and takes it out only
when the whole process tree is gone. A share goes back to the free capacity only then, or with
a new boot id.
"""

import msgspec

from shoal.api.meta import Object, View


class HeldDevice(View):
    """What a claim takes of one card: MiB of memory and milli-card of compute."""

    device: str = ""
    """Name of the card."""
    memory_mib: int = 0
    """Memory on it, in MiB."""
    milli: int = 0
    """Compute on it, in thousandths of the card."""


class HeldClaim(View):
    """A claim in use by processes of the node.

    ``devices`` is what it takes of the node's cards, for when the claim itself is gone.
    """

    uid: str = ""
    """Identity of the claim."""
    namespace: str = ""
    """Namespace of the claim."""
    name: str = ""
    """Name of the claim."""
    pod: str = ""
    """Name of the pod that uses it."""
    pod_uid: str = msgspec.field(default="", name="podUID")
    """Identity of the pod that uses it."""
    devices: list[HeldDevice] = []
    """What it takes of each card."""


class NodeUseStatus(View):
    """Written by the agent of the node alone."""

    boot_id: str = msgspec.field(default="", name="bootID")
    """Boot of the node in which this was written."""
    held: list[HeldClaim] = []
    """Claims that processes of the node still use."""


class NodeUse(Object):
    """What the agent of the node of the same name still holds."""

    status: NodeUseStatus = msgspec.field(default_factory=NodeUseStatus)
    """What is held, as the agent of the node tells it."""

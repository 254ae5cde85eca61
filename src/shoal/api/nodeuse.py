"""NodeUse: what a node's agent still holds. One object a node, cluster-scoped, named like it.

The agent writes a claim's uid here before it starts a program on it, and takes it out only
when the whole process tree is gone. A share goes back to the free capacity only then, or with
a new boot id.
"""

import msgspec

from shoal.api.meta import Object, View


class HeldClaim(View):
    """A claim in use by processes of the node."""

    uid: str = ""
    namespace: str = ""
    name: str = ""
    pod: str = ""


class NodeUseStatus(View):
    """Written by the agent of the node alone."""

    boot_id: str = msgspec.field(default="", name="bootID")
    held: list[HeldClaim] = []


class NodeUse(Object):
    """What the agent of the node of the same name still holds."""

    status: NodeUseStatus = msgspec.field(default_factory=NodeUseStatus)

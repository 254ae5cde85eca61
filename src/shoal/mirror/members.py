"""A pod without a node as a member of a group: what it needs, and what keeps it from a place."""

from collections.abc import Iterator

from shoal.api.claim import ResourceClaim
from shoal.api.meta import SCHEDULERS
from shoal.api.pod import Pod
from shoal.api.run import HOST_IMAGE
from shoal.core.event import ClaimAsk, Member
from shoal.mirror.amounts import pod_amounts, unknown_resource
from shoal.mirror.holds import node_of
from shoal.mirror.shares import UnclearError, asked_share
from shoal.mirror.taints import tolerations_of
from shoal.units.errors import UnitError

Claims = list[tuple[str, ResourceClaim | None]]
"""The claims that a pod names, each with its name; None while there is no such claim."""


def waits(pod: Pod) -> bool:
    """Whether a pod waits for a node of ours. One with gates does not yet, nor another's pod."""
    if pod.spec.scheduling_gates or pod.spec.scheduler_name not in SCHEDULERS:
        return False
    return not (pod.spec.node_name or pod.finished or pod.metadata.deletion_timestamp)


def member_of(pod: Pod, claims: Claims, *, pinned: str, releasing: dict[str, str]) -> Member:
    """The pod as a member.

    ``pinned`` is the node that a plan which can no longer be undone gives it; ``releasing``
    names the node of each claim (by uid) that a node's agent has not let go yet.
    """
    try:
        cpu, memory = pod_amounts(pod)
        asks = tuple(_asks(claims, releasing))
        blocked = _missing_resource(pod)
    except (UnitError, UnclearError) as error:
        cpu, memory, asks, blocked = 0, 0, (), str(error)
    nodes = {node_of(claim) for _, claim in claims if claim is not None} - {""}
    if len(nodes) > 1:
        blocked = f"its claims are on different nodes: {', '.join(sorted(nodes))}"
    return Member(
        pod=pod.metadata.uid,
        name=pod.metadata.name,
        cpu_milli=cpu,
        memory_mib=memory,
        claims=asks,
        node_selector=tuple(sorted(pod.spec.node_selector.items())),
        pinned=min(nodes, default=pinned),
        blocked=blocked,
        host_image=_on_host(pod),
        tolerations=tolerations_of(pod.spec.tolerations),
    )


def _asks(claims: Claims, releasing: dict[str, str]) -> Iterator[ClaimAsk]:
    for name, claim in claims:
        if not name:
            raise UnclearError("a claim of its own has not been made yet")
        if claim is None:
            raise UnclearError(f"claim {name} does not exist yet")
        if claim.metadata.deletion_timestamp:
            raise UnclearError(f"claim {name} is being deleted")
        if node := releasing.get(claim.metadata.uid):
            raise UnclearError(f"claim {name} is still in use by a program on {node}")
        if claim.status.allocation is None:
            yield ClaimAsk(claim.metadata.uid, name, asked_share(claim))


def _missing_resource(pod: Pod) -> str:
    name = unknown_resource(pod)
    return f"no node offers {name}; cards are asked for by a claim" if name else ""


def _on_host(pod: Pod) -> bool:
    containers = (*pod.spec.init_containers, *pod.spec.containers)
    return all(container.image == HOST_IMAGE for container in containers)

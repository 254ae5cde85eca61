"""The CPU and memory that a pod takes of its node, summed as Kubernetes does.

Init containers run one after another before the others start, so a pod takes the larger of
its hungriest init container and the sum of its containers. Sidecars go on: each counts with all
that starts after it. A limit stands in for a request that is not written.
https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers
"""

from collections.abc import Callable
from typing import Final

from shoal.api.pod import CARDS, Container, Pod
from shoal.units.errors import UnitError
from shoal.units.quantity import parse_cpu, parse_mib

_OFFERED: Final = frozenset({"cpu", "memory", "ephemeral-storage", CARDS})


def pod_amounts(pod: Pod) -> tuple[int, int]:
    """(mCPU, MiB). Raises UnitError where an amount cannot be read."""
    return _amount(pod, "cpu", parse_cpu), _amount(pod, "memory", parse_mib)


def pod_amounts_or_nothing(pod: Pod) -> tuple[int, int]:
    """(mCPU, MiB) of a pod that somebody else bound: what cannot be read counts as nothing."""
    try:
        return pod_amounts(pod)
    except UnitError:
        return 0, 0


def unknown_resource(pod: Pod) -> str:
    """The name of a resource that the pod asks for and no node of ours offers, if it does."""
    for container in (*pod.spec.init_containers, *pod.spec.containers):
        asked = container.resources.requests | container.resources.limits
        for name in sorted(asked.keys() - _OFFERED):
            return name
    return ""


def _amount(pod: Pod, resource: str, read: Callable[[str | int], int]) -> int:
    def of(container: Container) -> int:
        resources = container.resources
        written = resources.requests.get(resource, resources.limits.get(resource))
        return 0 if written is None else read(written)

    beside = hungriest = 0
    for container in pod.spec.init_containers:
        amount = of(container)
        hungriest = max(hungriest, beside + amount)
        beside += amount if container.beside else 0
    return max(hungriest, beside + sum(of(container) for container in pod.spec.containers))

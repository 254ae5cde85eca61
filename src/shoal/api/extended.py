"""The claim for a pod's whole cards, where it asks for them as an extended resource.

A pod that says ``nvidia.com/gpu: 2`` names no claim; the scheduler makes one for it, in the
shape in which Kubernetes' own scheduler does (KEP-5004), so that it reads the same everywhere.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, Final

from shoal.api.meta import DRIVER
from shoal.api.pod import CARDS, Container, Pod, RequestMapping, whole_cards

EXTENDED_CLAIM: Final = "resource.kubernetes.io/extended-resource-claim"
"""Annotation, ``"true"``, of a claim that was made for extended resources."""
_MIDDLE: Final = "-extended-resources-"
_LONGEST_NAME: Final = 253
_SUFFIX: Final = 5


def extended_claim_name(pod: Pod) -> str:
    """The name of a pod's claim. It follows from the pod, so that none is made twice."""
    suffix = hashlib.sha256(pod.metadata.uid.encode()).hexdigest()[:_SUFFIX]
    return pod.metadata.name[: _LONGEST_NAME - len(_MIDDLE) - _SUFFIX] + _MIDDLE + suffix


def extended_claim(pod: Pod) -> dict[str, Any]:
    """The claim of a pod that asks for whole cards, ready to be created."""
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": pod.metadata.name,
        "uid": pod.metadata.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    requests = [_request(name, count) for name, count in _requests(pod)]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": extended_claim_name(pod),
            "namespace": pod.metadata.namespace,
            "annotations": {EXTENDED_CLAIM: "true"},
            "ownerReferences": [owner],
        },
        "spec": {"devices": {"requests": requests}},
    }


def request_mappings(pod: Pod) -> list[RequestMapping]:
    """Which requests serve which container.

    Init containers are over when the others begin, so they use what the others are given.
    """
    counts = _requests(pod)
    mappings = []
    for at, container, init in _containers(pod):
        left = whole_cards(container)
        for name, count in counts if init else [(_name(at), left)]:
            if left > 0:
                mappings.append(RequestMapping(container.name, CARDS, name))
                left -= count
    return mappings


def _requests(pod: Pod) -> list[tuple[str, int]]:
    """Name and count of each request: a container each, and what an init container needs more."""
    counts = [
        (_name(at), whole_cards(container))
        for at, container, init in _containers(pod)
        if not init and whole_cards(container)
    ]
    for at, container, init in _containers(pod):
        more = whole_cards(container) - sum(count for _, count in counts)
        if init and more > 0:
            counts.append((_name(at), more))
    return counts


def _containers(pod: Pod) -> Iterator[tuple[int, Container, bool]]:
    """Each container with its place among all, and whether it is an init container."""
    first = len(pod.spec.init_containers)
    for at, container in enumerate((*pod.spec.init_containers, *pod.spec.containers)):
        yield at, container, at < first


def _name(at: int) -> str:
    return f"container-{at}-request-0"


def _request(name: str, count: int) -> dict[str, Any]:
    exactly = {"deviceClassName": DRIVER, "allocationMode": "ExactCount", "count": count}
    return {"name": name, "exactly": exactly}

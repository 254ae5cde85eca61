"""Claims for pods that ask for whole cards as an extended resource, made before they are placed.

Kubernetes' own scheduler makes them when it binds. Here the claim comes first and waits with
its pod, since what waits is counted and explained by its claims. It goes when its pod goes.
"""

import logging
from typing import Final

import msgspec

from shoal.api.claim import ResourceClaim
from shoal.api.extended import extended_claim, extended_claim_name, request_mappings
from shoal.api.kinds import PODS, RESOURCE_CLAIMS
from shoal.api.pod import Pod
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.kube.workqueue import WorkQueue
from shoal.mirror.members import waits
from shoal.mirror.objects import Key, Objects, key_of

_log: Final = logging.getLogger(__name__)


class ExtendedClaims:
    """Makes the claim of a waiting pod and writes its name into the pod's status."""

    def __init__(self, client: Client, objects: Objects) -> None:
        self._client = client
        self._objects = objects
        self._queue: WorkQueue[Key] = WorkQueue()

    def see(self, pod: Pod) -> None:
        """A pod came or changed."""
        if _lacks_claim(pod):
            self._queue.add(key_of(pod))

    async def run(self) -> None:
        """Make claims until cancelled; what fails is tried again after a while."""
        while True:
            key = await self._queue.get()
            made = True
            try:
                await self._provide(key)
            except ApiError as error:
                made = error.not_found  # then the pod is gone, or its namespace
                _log.warning("no claim made", extra={"pod": key, "error": error.message})
            finally:
                self._queue.done(key, failed=not made)

    async def _provide(self, key: Key) -> None:
        pod = self._objects.pods.get(key)
        if pod is None or not _lacks_claim(pod):
            return
        claim = await self._ensure(pod)
        mappings = msgspec.to_builtins(request_mappings(pod))
        told = {"resourceClaimName": claim.metadata.name, "requestMappings": mappings}
        patch = {
            "metadata": {"uid": pod.metadata.uid},
            "status": {"extendedResourceClaimStatus": told},
        }
        await self._client.patch(
            PODS, key[1], key[0], patch=patch, strategic=True, subresource="status"
        )

    async def _ensure(self, pod: Pod) -> ResourceClaim:
        """The pod's claim, which is made where it does not exist. Raises ApiError."""
        namespace = pod.metadata.namespace
        try:
            return await self._client.create(RESOURCE_CLAIMS, extended_claim(pod), namespace)
        except ApiError as error:
            if not error.already_exists:
                raise
        there = await self._client.get(RESOURCE_CLAIMS, extended_claim_name(pod), namespace)
        if all(ref.uid != pod.metadata.uid for ref in there.metadata.owner_references):
            name = there.metadata.name
            raise ApiError(409, "Conflict", f"claim {name} is there and not of {pod.metadata.name}")
        return there


def _lacks_claim(pod: Pod) -> bool:
    return waits(pod) and pod.asks_cards and pod.status.extended_resource_claim_status is None

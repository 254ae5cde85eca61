"""Claims from templates: made when a pod names a template, deleted when the pod has ended."""

from functools import partial
from typing import Any, Final

from shoal.api.claim import ResourceClaim
from shoal.api.kinds import PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS
from shoal.api.pod import Pod, PodClaim
from shoal.controllers.informers import Informers
from shoal.controllers.loop import together, work
from shoal.controllers.owned import Owned
from shoal.kube.client import Client
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue

Key = tuple[str, str]
POD_CLAIM_NAME: Final = "resource.kubernetes.io/pod-claim-name"
"""Annotation of a claim made from a template: for which entry of the pod."""
_WORKERS: Final = 4


class TemplateClaims:
    """Follows pods whose claims come from templates."""

    def __init__(self, client: Client, informers: Informers) -> None:
        self._client = client
        self._queue: WorkQueue[Key] = WorkQueue()
        self._pods = informers.follow(PODS, self._on_pod)
        self._owned: Owned[ResourceClaim] = Owned()
        informers.follow(RESOURCE_CLAIMS, self._on_claim)
        # Claims made here that the copy may not show yet, by pod and entry.
        self._made: dict[tuple[str, str], str] = {}

    async def run(self) -> None:
        """Work until cancelled; the copies must be complete by then."""
        await work(self._queue, self._look_at, workers=_WORKERS)

    def _on_pod(self, delta: Delta[Pod]) -> None:
        pod = delta.any
        if delta.new is None:
            for entry in pod.spec.resource_claims:
                self._made.pop((pod.metadata.uid, entry.name), None)
        elif pod.asks_cards or any(_from_template(entry) for entry in pod.spec.resource_claims):
            self._queue.add((pod.metadata.namespace, pod.metadata.name))

    def _on_claim(self, delta: Delta[ResourceClaim]) -> None:
        self._owned.note(delta)

    async def _look_at(self, key: Key) -> None:
        pod = self._pods.get(*key)
        if pod is None:
            return
        if pod.finished:
            await self._remove(pod)
        elif pod.metadata.deletion_timestamp is None:
            missing = [entry for entry in pod.spec.resource_claims if _wants(pod, entry)]
            if missing:
                await self._provide(pod, missing)

    async def _remove(self, pod: Pod) -> None:
        """Delete what was made for a pod that has ended."""
        claims = self._owned.of(pod.metadata.uid)
        await together(
            partial(
                self._client.delete,
                RESOURCE_CLAIMS,
                claim.metadata.name,
                claim.metadata.namespace,
                uid=claim.metadata.uid,
            )
            for claim in claims
            if claim.metadata.deletion_timestamp is None
        )

    async def _provide(self, pod: Pod, missing: list[PodClaim]) -> None:
        """Make the claims and write their names into the pod's status."""
        names = await together(partial(self._ensure, pod, entry) for entry in missing)
        statuses = [
            {"name": entry.name, "resourceClaimName": name}
            for entry, name in zip(missing, names, strict=True)
        ]
        await self._client.patch(
            PODS,
            pod.metadata.name,
            pod.metadata.namespace,
            patch={
                "metadata": {"uid": pod.metadata.uid},
                "status": {"resourceClaimStatuses": statuses},
            },
            strategic=True,
            subresource="status",
        )

    async def _ensure(self, pod: Pod, entry: PodClaim) -> str:
        """The name of the claim of an entry, which is made where it does not exist."""
        made = (pod.metadata.uid, entry.name)
        for claim in self._owned.of(pod.metadata.uid):
            if claim.metadata.annotations.get(POD_CLAIM_NAME) == entry.name:
                return claim.metadata.name
        if made not in self._made:
            namespace = pod.metadata.namespace
            template = await self._client.get_raw(
                RESOURCE_CLAIM_TEMPLATES, entry.resource_claim_template_name, namespace
            )
            body = _claim(pod, entry, template)
            claim = await self._client.create(RESOURCE_CLAIMS, body, namespace)
            self._made[made] = claim.metadata.name
        return self._made[made]


def _wants(pod: Pod, entry: PodClaim) -> bool:
    return _from_template(entry) and not pod.claim_name(entry)


def _from_template(entry: PodClaim) -> bool:
    return bool(entry.resource_claim_template_name)


def _claim(pod: Pod, entry: PodClaim, template: dict[str, Any]) -> dict[str, Any]:
    inside = template.get("spec", {})
    given = inside.get("metadata", {})
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": pod.metadata.name,
        "uid": pod.metadata.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    metadata = {
        "generateName": f"{pod.metadata.name}-{entry.name}-",
        "namespace": pod.metadata.namespace,
        "labels": given.get("labels", {}),
        "annotations": {**given.get("annotations", {}), POD_CLAIM_NAME: entry.name},
        "ownerReferences": [owner],
    }
    return {
        "apiVersion": RESOURCE_CLAIMS.api_version,
        "kind": RESOURCE_CLAIMS.name,
        "metadata": metadata,
        "spec": inside.get("spec", {}),
    }

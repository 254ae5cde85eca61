"""One member of a decision: its claims, then its binding."""

from shoal.api.kinds import PODS
from shoal.api.pod import Pod
from shoal.core.decision import Placement
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.mirror.objects import Objects
from shoal.scheduler.allocation import Wanted
from shoal.scheduler.claims import ClaimWriter, Facts
from shoal.scheduler.lost import LostError
from shoal.scheduler.writer import Writer
from shoal.units.failpoint import failpoint


class MemberWriter:
    """Carries out placements of single pods. Each method raises LostError and ApiError."""

    def __init__(self, client: Client, objects: Objects, writer: Writer, facts: Facts) -> None:
        self._client = client
        self._objects = objects
        self._writer = writer
        self._facts = facts
        self.claims = ClaimWriter(client, writer, facts)

    async def claim(self, placement: Placement) -> None:
        """Have every claim that the pod names hold its cards and let the pod use them."""
        pod = self.pod(placement)
        wanted = {each.claim: each for each in placement.claims}
        for name, claim in self._objects.claims_of(pod):
            if claim is None:
                raise LostError(f"claim {name} is gone")
            if part := wanted.get(claim.metadata.uid):
                to_hold = Wanted(part, placement.node, placement.name, placement.pod)
                await self.claims.allocate(claim, to_hold)
            else:
                await self.claims.reserve(claim, placement.name, placement.pod)

    async def bind(self, placement: Placement, namespace: str, *, insist: bool = False) -> None:
        """Bind the pod; if the server was asked twice, once is enough."""
        send = self._writer.insist if insist else self._writer.attempt
        name, node, uid = placement.name, placement.node, placement.pod
        try:
            await send(lambda: self._client.bind(name, namespace, node, uid=uid))
        except ApiError as error:
            if error.not_found:
                raise LostError(f"pod {name} is gone") from None
            if not error.conflict:
                raise
            await self._check_bound(placement, namespace)
        failpoint("scheduler.bound")
        self._facts.bound(namespace, name, uid, node)

    async def undo(self, placement: Placement) -> None:
        """Have the claims of this decision hold nothing for the pod."""
        for each in placement.claims:
            claim = self._objects.claim(each.claim)
            if claim is not None:
                await self.claims.release(claim, placement.pod)

    def pod(self, placement: Placement) -> Pod:
        """The pod of a placement, as it was seen last."""
        pod = self._objects.pod(placement.pod)
        if pod is None:
            raise LostError(f"pod {placement.name} is gone")
        return pod

    async def _check_bound(self, placement: Placement, namespace: str) -> None:
        try:
            pod = await self._writer.attempt(
                lambda: self._client.get(PODS, placement.name, namespace)
            )
        except ApiError as error:
            if error.not_found:
                raise LostError(f"pod {placement.name} is gone") from None
            raise
        if pod.metadata.uid != placement.pod:
            raise LostError(f"pod {placement.name} was deleted and made anew")
        if pod.metadata.deletion_timestamp:
            raise LostError(f"pod {placement.name} is being deleted")
        if pod.spec.node_name != placement.node:
            where = pod.spec.node_name or "no node"
            raise LostError(f"pod {placement.name} was placed by somebody else (on {where})")

"""What a crash left half done: gangs whose claims were being written.

Everything else needs no recovery. A single pod whose claim is allocated, and a member of a
placed gang, have their place already: the mirror pins them there and the loop binds them.
"""

import logging

from shoal.api.claim import ResourceClaim
from shoal.api.gang import PLACING, Gang, PlannedMember
from shoal.api.kinds import GANGS
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.mirror.objects import Objects, key_of
from shoal.scheduler.allocation import is_reserved
from shoal.scheduler.gangs import GangWriter, together
from shoal.scheduler.lost import LostError
from shoal.scheduler.member import MemberWriter
from shoal.scheduler.writer import Writer

_log = logging.getLogger(__name__)


class Recovery:
    """Ends what was begun: forward if every claim of the plan is written, else back."""

    def __init__(
        self,
        client: Client,
        objects: Objects,
        writer: Writer,
        members: MemberWriter,
        gangs: GangWriter,
    ) -> None:
        self._client = client
        self._objects = objects
        self._writer = writer
        self._members = members
        self._gangs = gangs

    async def finish_all(self) -> None:
        """At the start, before the first decision."""
        await together(self.finish(gang) for gang in list(self._objects.gangs.values()))

    async def finish(self, known: Gang) -> None:
        """End one gang's placing, if that is what it is in the middle of."""
        if known.status.phase != PLACING:
            return
        gang = await self._fresh(known)
        if gang is None or gang.status.phase != PLACING:
            return
        plan = gang.status.plan
        whole = bool(plan) and all(self._is_written(gang, each) for each in plan)
        _log.info("gang was half placed", extra={"gang": key_of(gang), "forward": whole})
        if whole:
            await self._forward(gang)
        else:
            await together(self._release(gang, each) for each in plan)
            await self._gangs.give_up(gang)

    async def _forward(self, gang: Gang) -> None:
        try:
            await self._gangs.roll_forward(gang)
        except LostError:
            return

    def _is_written(self, gang: Gang, planned: PlannedMember) -> bool:
        claim = self._claim(gang, planned)
        return not planned.claim or (claim is not None and is_reserved(claim, planned.pod_uid))

    async def _release(self, gang: Gang, planned: PlannedMember) -> None:
        claim = self._claim(gang, planned)
        if claim is not None:
            await self._members.claims.release(claim, planned.pod_uid)

    def _claim(self, gang: Gang, planned: PlannedMember) -> ResourceClaim | None:
        return self._objects.claims.get((gang.metadata.namespace, planned.claim))

    async def _fresh(self, gang: Gang) -> Gang | None:
        name, namespace = gang.metadata.name, gang.metadata.namespace
        try:
            fresh = await self._writer.insist(lambda: self._client.get(GANGS, name, namespace))
        except ApiError as error:
            if error.not_found:
                return None
            raise
        return fresh if fresh.metadata.uid == gang.metadata.uid else None

"""Decisions into writes: claims first, then bindings. Nothing is decided here.

A pod alone: its claims, then its binding. A gang: ``gangs``. A member that a placed gang still
lacks: like a pod alone.
"""

import msgspec

from shoal.api.gang import Gang
from shoal.api.meta import LABEL_GANG
from shoal.core.decision import Bind, Placement
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.mirror.groups import rolls_forward
from shoal.mirror.objects import Objects
from shoal.scheduler.claims import Facts
from shoal.scheduler.gangs import GangWriter, together
from shoal.scheduler.lost import LostError
from shoal.scheduler.member import MemberWriter
from shoal.scheduler.recover import Recovery
from shoal.scheduler.writer import Writer


class Outcome(msgspec.Struct, frozen=True):
    """What became of a decision.

    ``refusal`` says in a sentence why it was not, or not wholly, written; empty if it was.
    ``unbound`` are uids of pods that went away when their gang was already placed.
    """

    refusal: str = ""
    unbound: tuple[str, ...] = ()


class Committer:
    """Writes decisions, any number at a time."""

    def __init__(self, client: Client, objects: Objects, writer: Writer, facts: Facts) -> None:
        self._objects = objects
        self._members = MemberWriter(client, objects, writer, facts)
        self._gangs = GangWriter(client, self._members, writer)
        self.recovery = Recovery(client, objects, writer, self._members, self._gangs)

    async def commit(self, bind: Bind) -> Outcome:
        """Write a decision. A failure leaves nothing half done, and is told in words."""
        try:
            return await self._commit(bind)
        except (LostError, ApiError) as error:
            return Outcome(refusal=str(error))

    async def _commit(self, bind: Bind) -> Outcome:
        namespace = bind.group.partition("/")[0]
        gang = self._gang(bind, namespace)
        if gang is not None:
            await self.recovery.finish(gang)
        if gang is not None and not rolls_forward(gang, self._objects.group(bind.group)):
            return Outcome(unbound=tuple(await self._gangs.place(gang, bind.placements)))
        await together(self._alone(each, namespace) for each in bind.placements)
        return Outcome()

    async def _alone(self, placement: Placement, namespace: str) -> None:
        try:
            await self._members.claim(placement)
            await self._members.bind(placement, namespace)
        except LostError:
            await self._members.undo(placement)
            raise
        except ApiError as error:
            # While the server is in trouble nobody can tell whether the pod was bound. Its
            # claims stay reserved for it, so it is pinned, and bound when it is tried again.
            if not error.passing:
                await self._members.undo(placement)
            raise

    def _gang(self, bind: Bind, namespace: str) -> Gang | None:
        pod = self._members.pod(bind.placements[0])
        name = pod.metadata.labels.get(LABEL_GANG)
        if not name:
            return None
        gang = self._objects.gangs.get((namespace, name))
        if gang is None:
            raise LostError(f"gang {name} is gone")
        return gang

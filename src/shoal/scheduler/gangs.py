"""A gang, all or nothing: plan, all claims, "placed", then the bindings.

Before "placed" is written a failure undoes everything; a binding cannot be taken back, so after
it the gang only rolls forward, whatever happens meanwhile.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from shoal.api.gang import PLACED, PLACING, WAITING, Gang, PlannedDevice, PlannedMember
from shoal.api.kinds import GANGS
from shoal.core.decision import ClaimPlacement, Placement
from shoal.core.event import Part
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.scheduler.lost import LostError
from shoal.scheduler.member import MemberWriter
from shoal.scheduler.writer import Writer
from shoal.units.failpoint import failpoint

_log = logging.getLogger(__name__)


class GangWriter:
    """Carries out decisions about whole gangs."""

    def __init__(self, client: Client, members: MemberWriter, writer: Writer) -> None:
        self._client = client
        self._members = members
        self._writer = writer

    async def place(self, gang: Gang, placements: Sequence[Placement]) -> list[str]:
        """Place every member; uids of pods that went away after the point of no return.

        Raises LostError or ApiError if nothing was placed and all is undone.
        """
        try:
            await self._set_phase(gang, PLACING, plan_of(placements))
            await together(self._members.claim(each) for each in placements)
            await self.roll_forward(gang)
        except (LostError, ApiError):
            await together(self._members.undo(each) for each in placements)
            await self.give_up(gang)
            raise
        return await self._bind_all(gang, placements)

    async def roll_forward(self, gang: Gang) -> None:
        """Every claim is written: from here there is no way back."""
        await self._set_phase(gang, PLACED, None, insist=True)

    async def give_up(self, gang: Gang) -> None:
        """Every claim is released: the gang waits again."""
        try:
            await self._set_phase(gang, WAITING, [], insist=True)
        except LostError:
            return

    async def _bind_all(self, gang: Gang, placements: Iterable[Placement]) -> list[str]:
        async def bind(placement: Placement) -> str:
            try:
                await self._members.bind(placement, gang.metadata.namespace, insist=True)
            except LostError as error:
                _log.warning(
                    "gang lost a member", extra={"gang": gang.metadata.name, "error": str(error)}
                )
                return placement.pod
            return ""

        return [uid for uid in await together(bind(each) for each in placements) if uid]

    async def _set_phase(
        self,
        gang: Gang,
        phase: str,
        plan: list[PlannedMember] | None,
        *,
        insist: bool = False,
    ) -> None:
        send = self._writer.insist if insist else self._writer.attempt
        status: dict[str, Any] = {"phase": phase}
        if plan is not None:
            status["plan"] = msgspec.to_builtins(plan)
        patch = {"metadata": {"uid": gang.metadata.uid}, "status": status}
        name, namespace = gang.metadata.name, gang.metadata.namespace
        try:
            await send(
                lambda: self._client.patch(
                    GANGS, name, namespace, patch=patch, subresource="status"
                )
            )
        except ApiError as error:
            if error.not_found or error.conflict:
                raise LostError(f"gang {name} is gone") from None
            raise
        failpoint("scheduler.gang")


async def together(work: Iterable[Any]) -> list[Any]:
    """Do all of it, wait for the end of each, then raise the first failure if there is one.

    Nothing is cut off half way: a write whose answer nobody waits for may or may not be there.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def plan_of(placements: Iterable[Placement]) -> list[PlannedMember]:
    """The plan as it is kept in the gang: an entry a claim, or one for a pod without claims."""
    return [
        PlannedMember(
            pod=placement.name,
            pod_uid=placement.pod,
            claim=claim.name,
            node=placement.node,
            devices=[_device(part) for part in claim.parts],
        )
        for placement in placements
        for claim in placement.claims or (_NO_CLAIM,)
    ]


_NO_CLAIM: Final = ClaimPlacement(claim="", name="", parts=())


def _device(part: Part) -> PlannedDevice:
    return PlannedDevice(device=part.card, memory_mib=part.memory_mib, milli=part.milli)

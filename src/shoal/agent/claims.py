"""A pod's claims: held before anything starts, and only what the ledger gives this pod.

The order is the point. First the claim's uid goes into NodeUse, then the claim is read afresh:
from the moment that it is seen allocated and reserved, the scheduler cannot give its share to
anybody else before this agent has said that the programs are gone.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from shoal.agent.errors import NotYetError, PodError
from shoal.agent.files import write_private
from shoal.agent.home import PodHome
from shoal.agent.nodeuse import NodeUses
from shoal.agent.persist import persist
from shoal.agent.tools import Tools
from shoal.api.claim import ResourceClaim
from shoal.api.kinds import RESOURCE_CLAIMS
from shoal.api.meta import DRIVER
from shoal.api.nodeuse import HeldClaim, HeldDevice
from shoal.api.pod import CARDS, Container, Pod, whole_cards
from shoal.core.event import Card
from shoal.kube.client import Client
from shoal.kube.errors import ApiError
from shoal.mirror.holds import hold_of
from shoal.units.failpoint import failpoint

CLAIM_PENDING = "ClaimPending"
"""Waiting reason of a container whose claim is not allocated for its pod."""

_OUT_OF_CARDS: Final = f"OutOf{CARDS}"
_NOT_GIVEN: Final = (
    f"{CARDS}: no card was given to the pod, since spec.nodeName sent it past the scheduler; "
    "name the node by a nodeSelector instead, example: kubernetes.io/hostname: box1"
)


class GrantedCard(msgspec.Struct, frozen=True):
    """A card that a claim gives: for which request, and its device name."""

    request: str
    device: str


class PodClaim(msgspec.Struct, frozen=True):
    """A claim that the pod holds, by its name in the pod."""

    entry: str
    held: HeldClaim
    cards: list[GrantedCard] = []


async def prepare_claims(tools: Tools, pod: Pod, home: PodHome) -> list[PodClaim]:
    """Holds a pod's claims and returns what they give.

    Raises NotYetError, and then holds no more than before, and PodError for a pod that asks for
    whole cards but came here past the scheduler, which gives them.
    """
    client, uses, cards = tools.client, tools.uses, tools.cards
    first = [await _claim(client, pod, entry, name) for entry, name in pod.claim_names()]
    if not first:
        return []
    wanted = [_granted(cards, pod, entry, claim) for entry, claim in first]
    held_before = uses.holds(home.uid)
    save_claims(home.claims, wanted)
    failpoint("agent.hold")
    await uses.hold(home.uid, [claim.held for claim in wanted])
    failpoint("agent.held")
    try:
        return [await _confirm(tools, pod, claim) for claim in wanted]
    except NotYetError:
        if not held_before:  # else programs of the pod may live on them
            await release_claims(uses, home)
        raise


async def release_claims(uses: NodeUses, home: PodHome) -> None:
    """Tells that nothing of the pod lives any more; its shares may go to others."""
    await uses.drop(home.uid)
    home.claims.unlink(missing_ok=True)


def load_claims(path: Path) -> list[PodClaim]:
    """What a pod's folder says that it holds; nothing where there is no such file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[PodClaim])
    except FileNotFoundError:
        return []


def save_claims(path: Path, claims: list[PodClaim]) -> None:
    """Replaces the file as a whole, also across a power cut."""
    write_private(path, msgspec.json.encode(claims))


def cards_of(pod: Pod, container: Container, claims: list[PodClaim]) -> list[str]:
    """The device names that a container may use, in the order of its claims."""
    named = [(use.name, use.request) for use in container.resources.claims]
    whole = _cards_for(claims, [(CARDS, request) for request in _requests_of(pod, container)])
    return [*_cards_for(claims, named), *whole[: whole_cards(container)]]


def _cards_for(claims: list[PodClaim], uses: list[tuple[str, str]]) -> list[str]:
    """What the claims give for these: a claim's name in the pod, and a request or "" for all."""
    return [
        card.device
        for entry, request in uses
        for claim in claims
        if claim.entry == entry
        for card in claim.cards
        if request in ("", card.request)
    ]


def _requests_of(pod: Pod, container: Container) -> list[str]:
    """The requests of the pod's claim for whole cards that serve a container."""
    made = pod.status.extended_resource_claim_status
    mappings = made.request_mappings if made is not None else []
    return [each.request_name for each in mappings if each.container_name == container.name]


async def _claim(client: Client, pod: Pod, entry: str, name: str) -> tuple[str, ResourceClaim]:
    if not name and entry == CARDS:
        raise PodError(_OUT_OF_CARDS, _NOT_GIVEN)
    if not name:
        raise NotYetError(CLAIM_PENDING, f"the claim for {entry} is not made yet")
    namespace = pod.metadata.namespace
    try:
        claim = await persist("read claim", lambda: client.get(RESOURCE_CLAIMS, name, namespace))
    except ApiError as error:
        if not error.not_found:
            raise
        raise NotYetError(CLAIM_PENDING, f"claim {name} does not exist") from None
    return entry, claim


async def _confirm(tools: Tools, pod: Pod, wanted: PodClaim) -> PodClaim:
    entry, claim = await _claim(tools.client, pod, wanted.entry, wanted.held.name)
    if claim.metadata.uid != wanted.held.uid:
        raise NotYetError(CLAIM_PENDING, f"claim {wanted.held.name} was made anew")
    return _granted(tools.cards, pod, entry, claim)


def _granted(cards: Mapping[str, Card], pod: Pod, entry: str, claim: ResourceClaim) -> PodClaim:
    meta, status = claim.metadata, claim.status
    if status.allocation is None:
        raise NotYetError(CLAIM_PENDING, f"claim {meta.name} is not allocated")
    if all(consumer.uid != pod.metadata.uid for consumer in status.reserved_for):
        raise NotYetError(CLAIM_PENDING, f"claim {meta.name} is not reserved for this pod")
    results = status.allocation.devices.results
    ours = [r for r in results if r.driver == DRIVER and r.pool == pod.spec.node_name]
    held = HeldClaim(
        uid=meta.uid,
        namespace=meta.namespace,
        name=meta.name,
        pod=pod.metadata.name,
        pod_uid=pod.metadata.uid,
        devices=[
            HeldDevice(device=part.card, memory_mib=part.memory_mib, milli=part.milli)
            for part in hold_of(claim, cards, None).parts
        ],
    )
    return PodClaim(entry, held, [GrantedCard(r.request, r.device) for r in ours])

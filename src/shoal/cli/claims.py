"""What there is to tell of a claim: the share asked for, what it holds, and for whom."""

from collections.abc import Mapping

import msgspec

from shoal.api.claim import COMPUTE, MEMORY, AllocationResult, ResourceClaim, share_config
from shoal.api.meta import LABEL_RUN
from shoal.cli.facts import Facts, clock_of
from shoal.cli.limits import CARD_MEMORY_SHORT
from shoal.cli.places import CardFact
from shoal.cli.say import card_index, count_of
from shoal.units.gpu import format_share
from shoal.units.quantity import parse_mib, say_mib


def claim_facts(claim: ResourceClaim, cards: Mapping[tuple[str, str], CardFact]) -> Facts:
    """What it asks for and holds; nothing empty. ``cards`` are all there are."""
    meta, held = claim.metadata, held_facts(claim, cards)
    pods = [user.name for user in claim.status.reserved_for if user.resource == "pods"]
    facts = [
        ("Name", meta.name),
        ("Namespace", meta.namespace),
        ("Run", meta.labels.get(LABEL_RUN, "")),
        ("Asks for", _asked(claim)),
        *(held or [("Holds", "nothing yet")]),
        ("For pods", ", ".join(pods)),
        ("Created", clock_of(meta.creation_timestamp)),
    ]
    return [fact for fact in facts if fact[1]]


def held_facts(claim: ResourceClaim, cards: Mapping[tuple[str, str], CardFact]) -> Facts:
    """``box1 card 0``: ``A100-80GB, SIMULATED · 40 GiB · 500 of 1000 compute``, for each card."""
    allocation = claim.status.allocation
    results = allocation.devices.results if allocation is not None else []
    return [_held(result, cards.get((result.pool, result.device))) for result in results]


def _held(result: AllocationResult, card: CardFact | None) -> tuple[str, str]:
    amounts, told = result.consumed_capacity, []
    if card is not None:
        told.append(f"{card.model}{', SIMULATED' if card.simulated else ''}")
    if MEMORY in amounts:
        told.append(say_mib(parse_mib(amounts[MEMORY])))
    if COMPUTE in amounts:
        told.append(f"{amounts[COMPUTE]} of 1000 compute")
    where = f"{result.pool} card {card_index(result.device)}"
    return where, " · ".join([*told, CARD_MEMORY_SHORT])


def _asked(claim: ResourceClaim) -> str:
    try:
        config = share_config(claim)
    except msgspec.ValidationError:
        return "what cannot be read"
    if config is not None:
        noun = "cards" if config.share.count > 1 else "card"
        packed = " · may share a card with others of its gang" if config.pack else ""
        return f"{format_share(config.share)} {noun}{packed}"
    asked = (request.exactly for request in claim.spec.devices.requests or ())
    return " · ".join(
        f"{count_of(one.count, 'device')} of {one.device_class_name}" for one in asked if one
    )

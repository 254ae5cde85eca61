"""Which cards runs hold, from the claims' allocations and the nodes' slices."""

from typing import NamedTuple

from shoal.api.claim import ResourceClaim, TypedValue
from shoal.api.kinds import RESOURCE_CLAIMS, RESOURCE_SLICES
from shoal.api.meta import LABEL_ATTEMPT, LABEL_RUN
from shoal.api.run import Run
from shoal.cli.context import Here
from shoal.cli.say import card_index


class CardFact(NamedTuple):
    """What a card is."""

    model: str
    simulated: bool


def read_cards(here: Here) -> dict[tuple[str, str], CardFact]:
    """Every card by its node and name."""
    return {
        (piece.spec.node_name, device.name): CardFact(
            _text(device.attributes, "model"), _flag(device.attributes, "simulated")
        )
        for piece in here.client.list(RESOURCE_SLICES).items
        for device in piece.spec.devices
    }


def say_places(here: Here, run: Run, attempt: int) -> str:
    """Where an attempt is: ``box1 card 0 (A100-80GB, SIMULATED)``; empty without any card.

    From the claims, which are written before the program starts; once they are gone, from what
    the run's status remembers.
    """
    labels = f"{LABEL_RUN}={run.metadata.name},{LABEL_ATTEMPT}={attempt}"
    claims = here.client.list(RESOURCE_CLAIMS, here.namespace, labels=labels).items
    remembered = {(replica.node, card) for replica in run.status.replicas for card in replica.cards}
    held = sorted({place for claim in claims for place in places_of(claim)} or remembered)
    if not held:
        return ""
    facts = read_cards(here)
    return " · ".join(
        _say_node(node, [card for on, card in held if on == node], facts)
        for node in dict.fromkeys(node for node, _ in held)
    )


def places_of(claim: ResourceClaim) -> list[tuple[str, str]]:
    """(node, card) of each device that a claim holds."""
    if claim.status.allocation is None:
        return []
    return [(result.pool, result.device) for result in claim.status.allocation.devices.results]


def _say_node(node: str, cards: list[str], facts: dict[tuple[str, str], CardFact]) -> str:
    known = [facts[node, card] for card in cards if (node, card) in facts]
    told = list(dict.fromkeys(fact.model for fact in known))
    if any(fact.simulated for fact in known):
        told.append("SIMULATED")
    noun = "card" if len(cards) == 1 else "cards"
    what = f" ({', '.join(told)})" if told else ""
    return f"{node} {noun} {','.join(map(card_index, cards))}{what}"


def _text(attributes: dict[str, TypedValue], name: str) -> str:
    value = attributes.get(name)
    return (value.string or "") if value is not None else ""


def _flag(attributes: dict[str, TypedValue], name: str) -> bool:
    value = attributes.get(name)
    return bool(value is not None and value.boolean)

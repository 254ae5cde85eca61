"""Cards and what is held of them, in words."""

from collections.abc import Iterable

from shoal.core.decision import Placement
from shoal.core.report import CardHolder, CardLine
from shoal.units.gpu import WHOLE, format_share, say_milli
from shoal.units.quantity import say_mib


def card_number(card: str) -> str:
    """``1`` for ``gpu-1``; other names as they are."""
    return card.removeprefix("gpu-")


def one_card(node: str, card: str, *, cluster: bool) -> str:
    """``card 1``, or ``box2 card 1`` where there are several nodes."""
    number = f"card {card_number(card)}"
    return f"{node} {number}" if cluster and node else number


def several_cards(cards: Iterable[tuple[str, str]], *, cluster: bool) -> str:
    """``card 1``; ``cards 1 and 2``; ``box1 card 0 and box2 cards 1 and 2``."""
    by_node: dict[str, list[str]] = {}
    for node, card in cards:
        by_node.setdefault(node if cluster else "", []).append(card_number(card))
    return join(
        f"{node} card{'s' if len(numbers) > 1 else ''} {join(numbers)}".strip()
        for node, numbers in by_node.items()
    )


def say_placement(placement: Placement) -> str:
    """``placed on box1 card 0``; the node alone for a pod that was given no cards."""
    given = [(placement.node, part.card) for claim in placement.claims for part in claim.parts]
    return f"placed on {several_cards(given, cluster=True) if given else placement.node}"


def join(items: Iterable[str]) -> str:
    """``a``; ``a and b``; ``a, b and c``."""
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last


def say_part(milli: int, memory_mib: int) -> str:
    """A part of a card as people ask for it: by compute if any is held, else by memory."""
    return say_milli(milli) if milli else say_mib(memory_mib)


def say_free(card: CardLine) -> str:
    """What is free of a card: ``whole``, ``1/2``, ``10 GiB`` (no compute left to hold) or ``0``."""
    if card.unused:
        return "whole"
    of_memory = card.memory_free_mib * WHOLE // card.memory_mib if card.memory_mib else 0
    part = min(card.milli_free, of_memory)
    if part:
        return say_milli(part)
    return say_mib(card.memory_free_mib) if card.memory_free_mib else "0"


def say_card_holder(holder: CardHolder) -> str:
    """``digits 1/2``, ``ring 10Gi, just ending``."""
    share = say_part(holder.milli, holder.memory_mib)
    if holder.share is not None and holder.share.count == 1:
        share = format_share(holder.share).rpartition(":")[2]
    if holder.releasing:
        return f"{holder.owner} {share}, just ending"
    return f"{holder.owner} {share}"

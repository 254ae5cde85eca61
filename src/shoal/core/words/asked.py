"""What a waiting group asks for, in words."""

from msgspec.structs import replace

from shoal.core.reason import Reason, Resource
from shoal.core.words.share import say_share
from shoal.units.gpu import WHOLE, Share, say_milli
from shoal.units.quantity import say_cpu, say_mib


def asked_cards(reason: Reason) -> str:
    """All cards that are asked for: ``2 whole cards``, ``1/2 of each of 4 A100 cards``."""
    share = reason.share or Share(milli=WHOLE)
    return say_share(replace(share, count=reason.asked))


def replicas(reason: Reason) -> str:
    """``9 replicas``, ``9 replicas with 1/2 of one card each``."""
    each = f" with {say_share(reason.share)} each" if reason.share else ""
    return f"{reason.members} replicas{each}"


def each_of(reason: Reason, amount: object) -> str:
    """What each replica must find on a node: `` (2 on one node for each of 4 replicas)``."""
    return f" ({amount} on one node for each of {reason.members} replicas)"


def room(reason: Reason) -> str:
    """``room for 1 of 2 replicas``."""
    return f"room for {reason.fit} of {reason.members} replicas"


def two_amounts(reason: Reason, one: int, other: int) -> tuple[str, str]:
    """Two amounts of what the reason counts, in words that differ if the amounts do."""
    match reason.resource:
        case Resource.CPU:
            return say_cpu(one), say_cpu(other)
        case Resource.CARD_COMPUTE:
            return say_milli(one), say_milli(other)
    texts = say_mib(one), say_mib(other)
    if one != other and texts[0] == texts[1]:
        return f"{one} MiB", f"{other} MiB"
    return texts

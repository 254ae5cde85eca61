"""Shares of cards as people say them."""

from typing import Final

from shoal.units.gpu import WHOLE, Share, say_milli
from shoal.units.quantity import say_mib

_LIKE_A_VOWEL: Final = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel: an A100, an H100, an L4, but a T4."""


def say_share(share: Share) -> str:
    """``2 whole A100 cards``, ``3/4 of an A100``, ``1/4 of each of 2 cards``.

    With memory: ``10 GiB of one card``, ``10 GiB and 30 % of one card``.
    """
    model = f"{say_models(share)} " if share.models else ""
    if share.whole:
        return f"{share.count} whole {model}card{'' if share.count == 1 else 's'}"
    if share.count == 1:
        return f"{_part(share)} of {a_card(share)}"
    return f"{_part(share)} of each of {share.count} {model}cards"


def a_card(share: Share | None) -> str:
    """A card that would do: ``one card``, ``an A100``, ``a T4 or V100``."""
    if share is None or not share.models:
        return "one card"
    models = say_models(share)
    return f"an {models}" if models[0].upper() in _LIKE_A_VOWEL else f"a {models}"


def say_models(share: Share) -> str:
    """The models that are allowed: ``A100 or H100``; empty for any."""
    return " or ".join(share.models)


def _part(share: Share) -> str:
    if not share.memory_mib:
        return say_milli(share.milli)
    memory = say_mib(share.memory_mib)
    return f"{memory} and {share.milli * 100 / WHOLE:g} %" if share.milli else memory

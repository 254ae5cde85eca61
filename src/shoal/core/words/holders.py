"""Who holds what is missing, in words."""

from collections.abc import Callable

from shoal.core.reason import Holder, Reason, Resource
from shoal.core.words.cards import one_card, say_part
from shoal.units.quantity import say_cpu, say_mib

Clock = Callable[[int], str]
"""Ms since the epoch as people read a time: ``14:40``."""


def say_holder(reason: Reason, holder: Holder, clock: Clock, *, cluster: bool = False) -> str:
    """``ring holds 1/4 of card 1, ends by 14:40``."""
    what = _amount(reason, holder, cluster=cluster)
    if holder.releasing:
        return f"{holder.name} holds {what}, just ending"
    if holder.ends_at:
        return f"{holder.name} holds {what}, ends by {clock(holder.ends_at)}"
    return f"{holder.name} holds {what}"


def _amount(reason: Reason, holder: Holder, *, cluster: bool) -> str:
    of_node = f" on {holder.node}" if cluster else ""
    match reason.resource:
        case Resource.CPU:
            return f"{say_cpu(holder.amount)} CPU{of_node}"
        case Resource.MEMORY:
            return f"{say_mib(holder.amount)} of memory{of_node}"
        case Resource.CARD_MEMORY:
            where = f" of {one_card(holder.node, holder.card, cluster=True)}" if cluster else ""
            return f"{say_mib(holder.amount)}{where}"
        case _ if holder.card:
            part = say_part(holder.amount, holder.memory_mib)
            return f"{part} of {one_card(holder.node, holder.card, cluster=cluster)}"
        case _:
            return "it"

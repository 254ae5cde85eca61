"""What is more than there is, in words: what is asked, what exists, and why that is not enough."""

from shoal.core.reason import Reason, Resource
from shoal.core.words.asked import asked_cards, each_of, replicas, room, two_amounts
from shoal.core.words.share import say_models


def say_too_large(reason: Reason, *, cluster: bool) -> str:
    """``4 whole cards asked, this box has 3 (2 × A100-80GB, 1 × T4)``."""
    match reason.resource:
        case Resource.CARD_MEMORY:
            return _card_memory(reason)
        case Resource.CPU:
            return _of_nodes(reason, "CPU", cluster=cluster)
        case Resource.MEMORY:
            return _of_nodes(reason, "of memory", cluster=cluster)
        case Resource.MEMBERS if reason.members == 1:
            return "more claims asked than fit on any one node"
        case Resource.MEMBERS:
            where = here(reason, cluster=cluster)
            return f"{replicas(reason)} asked, {where} room for {reason.fit}"
        case _:
            return _cards(reason, cluster=cluster)


def here(reason: Reason, *, cluster: bool) -> str:
    """Where it may go, and ``has``."""
    if reason.narrowed:
        return "the nodes where it may go have"
    return "the cluster has" if cluster else "this box has"


def existing(reason: Reason) -> str:
    """The cards that exist: ``2 × A100-80GB, 1 × T4``."""
    return ", ".join(reason.models) or "no cards"


def _card_memory(reason: Reason) -> str:
    asked, best = two_amounts(reason, reason.asked, reason.best)
    if reason.share is None or not reason.share.models:
        return f"{asked} on one card asked, the largest card has {best}"
    models = say_models(reason.share)
    return f"{asked} on one card asked ({models}), the largest {models} has {best}"


def _of_nodes(reason: Reason, what: str, *, cluster: bool) -> str:
    asked, total = two_amounts(reason, reason.asked, reason.total)
    if reason.members > 1:
        each, _ = two_amounts(reason, reason.asked // reason.members, 0)
        has = f"{here(reason, cluster=cluster)} {total}"
        return f"{asked} {what} asked{each_of(reason, each)}, {has}: {room(reason)}"
    if reason.best < reason.total:
        asked, best = two_amounts(reason, reason.asked, reason.best)
        return f"{asked} {what} asked, nodes that have all else it needs have at most {best}"
    if cluster or reason.narrowed:
        where = " where it may go" if reason.narrowed else ""
        return f"{asked} {what} asked, the largest node{where} has {total}"
    return f"{asked} {what} asked, this box has {total}"


def _cards(reason: Reason, *, cluster: bool) -> str:
    each = reason.share.count if reason.share else 1
    listed = f" ({existing(reason)})" if reason.models else ""
    has = f"{here(reason, cluster=cluster)} {reason.total or 'none'}{listed}"
    asked = f"{asked_cards(reason)} asked"
    if reason.members > 1 and each > 1:
        return f"{asked}{each_of(reason, each)}, {has}: {room(reason)}"
    if reason.total < reason.asked:
        return f"{asked}, {has}"
    if reason.members > 1:
        return f"{asked}, {has}; {reason.best} can give it"
    on_one = f"{asked_cards(reason)} on one node asked"
    return f"{on_one}, {has}; at most {reason.best} of one node can give it"

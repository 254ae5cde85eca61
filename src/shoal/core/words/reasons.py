"""Reasons in words: short for a listing or a condition, long for whoever asks why."""

from collections.abc import Callable
from typing import Final

from shoal.core.reason import Code, Reason, Resource
from shoal.core.words.cards import join
from shoal.core.words.holders import Clock, say_holder
from shoal.units.gpu import Share, format_share, say_milli
from shoal.units.quantity import say_cpu, say_mib

NO_RUNTIME: Final = "this machine has no container runtime; use image: host"


def say_wait(reason: Reason, clock: Clock, *, cluster: bool = False) -> str:
    """The short form: what is missing and its largest holder.

    ``2 whole cards; 1 free · ring holds 1/4 of card 1, ends by 14:40``. ``cluster`` names nodes.
    """
    return _with_holders(reason, 1, clock, cluster=cluster)


def say_reason(reason: Reason, clock: Clock, *, cluster: bool = False) -> str:
    """The long form: what is missing and all the holders that the reason names."""
    return _with_holders(reason, len(reason.holders), clock, cluster=cluster)


def _with_holders(reason: Reason, most: int, clock: Clock, *, cluster: bool) -> str:
    fact = _fact(reason, cluster=cluster)
    named = [say_holder(reason, who, clock, cluster=cluster) for who in reason.holders[:most]]
    if not named or reason.code is Code.RELEASING:
        return fact
    mark = "; " if reason.code in _SIZES else " · "
    return mark.join((fact, " · ".join(named)))


_SIZES: Final = frozenset({Code.MEMORY_BUSY, Code.HOST_MEMORY_BUSY})


def _fact(reason: Reason, *, cluster: bool) -> str:
    if reason.code in _PLAIN:
        return _PLAIN[reason.code](reason)
    if reason.code is Code.NO_MODEL:
        return f"{_models(reason)} asked; {_here(cluster)} has {_existing(reason)}"
    if reason.code is Code.TOO_LARGE:
        return _too_large(reason, cluster=cluster)
    return _BUSY[reason.resource](reason) if reason.resource in _BUSY else reason.code


def _no_nodes(reason: Reason) -> str:
    return "no node takes work" + (f" ({reason.detail})" if reason.detail else " yet")


def _releasing(reason: Reason) -> str:
    names = join(dict.fromkeys(holder.name for holder in reason.holders))
    return f"starts as soon as the programs of {names} have ended; they are just ending"


_PLAIN: Final[dict[Code, Callable[[Reason], str]]] = {
    Code.NO_NODES: _no_nodes,
    Code.NO_RUNTIME: lambda _: NO_RUNTIME,
    Code.SELECTOR: lambda r: f"no node is labelled {r.detail}",
    Code.GANG_INCOMPLETE: lambda r: f"waits for its members: {r.best} of {r.asked} exist",
    Code.CLAIM_MISSING: lambda r: r.detail,
    Code.RELEASING: _releasing,
    Code.RETRYING: lambda r: f"could not be placed just now, tried again shortly ({r.detail})",
}


def _card_memory(reason: Reason) -> str:
    asked, best = _sizes(reason.asked, reason.best)
    return f"needs {asked} on one card; the largest hole is {best}"


def _card_compute(reason: Reason) -> str:
    asked, best = say_milli(reason.asked), say_milli(reason.best)
    return f"needs {asked} of the compute of one card; the most that is free is {best}"


def _members(reason: Reason) -> str:
    if reason.members == 1:
        return "needs several claims on one node; they fit one by one, but not together"
    each = f" of {format_share(reason.share)}" if reason.share else ""
    return f"{reason.asked} members{each} together; there is room for {reason.best}"


_BUSY: Final[dict[Resource | None, Callable[[Reason], str]]] = {
    Resource.CARDS: lambda r: f"{_cards(r)}; {_free_cards(r)}",
    Resource.CARD_MEMORY: _card_memory,
    Resource.CARD_COMPUTE: _card_compute,
    Resource.CPU: lambda r: _of_nodes(r, say_cpu(r.asked), say_cpu(r.best), "CPU"),
    Resource.MEMORY: lambda r: _of_nodes(r, *_sizes(r.asked, r.best), "memory"),
    Resource.MEMBERS: _members,
}


def _of_nodes(reason: Reason, asked: str, best: str, what: str) -> str:
    if reason.members > 1:
        return f"needs {asked} {what} for its {reason.members} members; there is room for {best}"
    return f"needs {asked} {what} on one node; the most that is free is {best}"


def _too_large(reason: Reason, *, cluster: bool) -> str:
    match reason.resource:
        case Resource.CARD_MEMORY:
            asked, best = _sizes(reason.asked, reason.best)
            return f"{asked} on one card asked, the largest card has {best}"
        case Resource.CPU:
            asked, best = say_cpu(reason.asked), say_cpu(reason.best)
            return _beyond_nodes(reason, f"{asked} CPU", best, cluster=cluster)
        case Resource.MEMORY:
            asked, best = _sizes(reason.asked, reason.best)
            return _beyond_nodes(reason, f"{asked} of memory", best, cluster=cluster)
        case Resource.MEMBERS if reason.members == 1:
            return "more claims asked than fit on any one node"
        case Resource.MEMBERS:
            return f"{reason.asked} members asked, {_here(cluster)} has room for {reason.best}"
        case _:
            return _too_many_cards(reason, cluster=cluster)


def _beyond_nodes(reason: Reason, asked: str, best: str, *, cluster: bool) -> str:
    if reason.members > 1:
        members = f"for {reason.members} members"
        return f"{asked} asked {members}, {_here(cluster)} has room for {best}"
    return f"{asked} asked, {'the largest node' if cluster else 'this box'} has {best}"


def _too_many_cards(reason: Reason, *, cluster: bool) -> str:
    asked = f"{_cards(reason)} asked"
    listed = f" ({_existing(reason)})" if reason.models else ""
    if reason.best == reason.total or not cluster:
        return f"{asked}, {_here(cluster)} has {reason.best or 'none'}{listed}"
    where = "one node has at most" if reason.members == 1 else "the nodes can give"
    return f"{asked}, {where} {reason.best}{listed}"


def _cards(reason: Reason) -> str:
    """``2 whole cards``, ``1 whole A100 card``, ``1/2 of each of 4 cards``."""
    share = reason.share or Share(milli=1000)
    model = f"{'/'.join(share.models)} " if share.models else ""
    if share.whole:
        return f"{reason.asked} whole {model}card{'' if reason.asked == 1 else 's'}"
    part = say_milli(share.milli) if not share.memory_mib else say_mib(share.memory_mib)
    if reason.asked == 1:
        return f"{part} of 1 {model}card"
    return f"{part} of each of {reason.asked} different {model}cards"


def _free_cards(reason: Reason) -> str:
    if reason.share is None or reason.share.whole:
        return f"{reason.best} free"
    return f"{reason.best} {'has' if reason.best == 1 else 'have'} it free"


def _models(reason: Reason) -> str:
    return " or ".join(reason.share.models) if reason.share else ""


def _existing(reason: Reason) -> str:
    return ", ".join(reason.models) or "no cards"


def _here(cluster: bool) -> str:
    return "the cluster" if cluster else "this box"


def _sizes(asked: int, best: int) -> tuple[str, str]:
    """Two sizes in words that differ if the sizes do."""
    texts = say_mib(asked), say_mib(best)
    if asked != best and texts[0] == texts[1]:
        return f"{asked} MiB", f"{best} MiB"
    return texts

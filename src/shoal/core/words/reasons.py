"""Reasons in words: short for a listing or a condition, long for whoever asks why."""

from collections.abc import Callable
from typing import Final

from shoal.core.reason import Code, Reason
from shoal.core.words.busy import say_busy
from shoal.core.words.cards import join
from shoal.core.words.holders import Clock, say_holder
from shoal.core.words.share import say_models
from shoal.core.words.toolarge import existing, here, say_too_large

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
        models = say_models(reason.share) if reason.share else ""
        return f"{models} asked; {here(reason, cluster=cluster)} {existing(reason)}"
    if reason.code is Code.TOO_LARGE:
        return say_too_large(reason, cluster=cluster)
    return say_busy(reason, cluster=cluster)


def _no_nodes(reason: Reason) -> str:
    if not reason.detail:
        return "no node is there to take it; an agent joins again as soon as it runs"
    return f"no node takes work ({reason.detail})"


def _releasing(reason: Reason) -> str:
    names = join(dict.fromkeys(holder.name for holder in reason.holders))
    return f"starts as soon as the programs of {names} have ended; they are just ending"


_PLAIN: Final[dict[Code, Callable[[Reason], str]]] = {
    Code.NO_NODES: _no_nodes,
    Code.NODE_UNKNOWN: _no_nodes,
    Code.TAINTED: lambda r: f"no node takes it without a toleration ({r.detail})",
    Code.NO_RUNTIME: lambda _: NO_RUNTIME,
    Code.SELECTOR: lambda r: f"no node is labelled {r.detail}",
    Code.GANG_INCOMPLETE: lambda r: f"waits for its replicas: {r.best} of {r.asked} exist",
    Code.CLAIM_MISSING: lambda r: r.detail,
    Code.RELEASING: _releasing,
    Code.RETRYING: lambda r: f"could not be placed just now, tried again shortly ({r.detail})",
}

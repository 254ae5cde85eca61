"""What is not free just now, in words: what is asked, and the most that is free."""

from collections.abc import Callable
from typing import Final

from shoal.core.reason import Reason, Resource
from shoal.core.words.asked import asked_cards, each_of, replicas, room, two_amounts
from shoal.core.words.share import say_models


def say_busy(reason: Reason, *, cluster: bool) -> str:
    """``needs 40 GiB on one card; the largest hole is 38 GiB``."""
    say = _WORDS.get(reason.resource)
    return say(reason, cluster) if say is not None else reason.code


def _cards(reason: Reason, cluster: bool) -> str:
    asked, free = asked_cards(reason), f"{reason.best} {_free(reason)}"
    each = reason.share.count if reason.share else 1
    if reason.members > 1 and each > 1:
        return f"{asked}{each_of(reason, each)}; {free}: {room(reason)}"
    if reason.members == 1 and each > 1 and cluster:
        return f"{asked} on one node; at most {free} on one"
    return f"{asked}; {free}"


def _free(reason: Reason) -> str:
    if reason.share is None or reason.share.whole:
        return "free"
    return "has it free" if reason.best == 1 else "have it free"


def _card_memory(reason: Reason, _: bool) -> str:
    asked, best = two_amounts(reason, reason.asked, reason.best)
    return f"needs {asked} on {_one(reason)}; the largest hole{_there(reason)} is {best}"


def _card_compute(reason: Reason, _: bool) -> str:
    asked, best = two_amounts(reason, reason.asked, reason.best)
    free = f"the most that is free{_there(reason)} is {best}"
    return f"needs {asked} of the compute of {_one(reason)}; {free}"


def _one(reason: Reason) -> str:
    models = say_models(reason.share) if reason.share else ""
    return f"one {models or 'card'}"


def _there(reason: Reason) -> str:
    return " there" if reason.share and reason.share.models else ""


def _of_nodes(reason: Reason, cluster: bool) -> str:
    what = "CPU" if reason.resource is Resource.CPU else "memory"
    asked, best = two_amounts(reason, reason.asked, reason.best)
    if reason.members > 1:
        each, _ = two_amounts(reason, reason.asked // reason.members, 0)
        return f"needs {asked} {what}{each_of(reason, each)}; {best} is free: {room(reason)}"
    if cluster:
        return f"needs {asked} {what} on one node; where all else fits, at most {best} is free"
    return f"needs {asked} {what} on one node; the most that is free is {best}"


def _members(reason: Reason, _: bool) -> str:
    if reason.members == 1:
        return "needs several claims on one node; they fit one by one, but not together"
    return f"{replicas(reason)}; there is room for {reason.fit} at once"


_WORDS: Final[dict[Resource | None, Callable[[Reason, bool], str]]] = {
    Resource.CARDS: _cards,
    Resource.CARD_MEMORY: _card_memory,
    Resource.CARD_COMPUTE: _card_compute,
    Resource.CPU: _of_nodes,
    Resource.MEMORY: _of_nodes,
    Resource.MEMBERS: _members,
}

"""Who holds what is missing: of the cards that are easiest to free, the largest holders."""

from collections.abc import Iterable, Iterator
from typing import Final

from shoal.core.cluster import NodeRoom
from shoal.core.event import Hold
from shoal.core.fit import fitting_cards
from shoal.core.reason import Holder, Resource
from shoal.core.shape import GroupShape
from shoal.core.shortage import Shortage, allowed_cards, suitable, usable_cards
from shoal.core.state import State
from shoal.units.gpu import WHOLE

_MOST: Final = 4
"""Holders that a reason names."""

Spot = tuple[NodeRoom, int]
"""A card: its node and index."""


def holders(state: State, short: Shortage) -> tuple[Holder, ...]:
    """The largest holders of what is short, those of one card or node taken together."""
    match short.resource:
        case Resource.CARD_MEMORY:
            spot = (state.cluster.nodes[short.node], short.card)
            return _largest(_on_cards(state, [spot], in_mib=True))
        case Resource.CARD_COMPUTE:
            spot = (state.cluster.nodes[short.node], short.card)
            return _largest(_on_cards(state, [spot], in_mib=False))
        case Resource.CARDS | Resource.MEMBERS:
            spots = _easiest(state, short)
            return _largest(_on_cards(state, spots, in_mib=False))
        case Resource.CPU | Resource.MEMORY:
            return _largest(_of_nodes(state, short))


def releasing(state: State, shape: GroupShape) -> tuple[Holder, ...]:
    """The largest holders that are just ending, of the cards that the shape may use."""
    usable = usable_cards(state.placer, shape)
    spots = ((room, at) for (_, at), room in usable.items())
    return _largest(holder for holder in _on_cards(state, spots, in_mib=False) if holder.releasing)


def _easiest(state: State, short: Shortage) -> list[Spot]:
    """The cards that would have to be freed, those with least on them first."""
    rooms = suitable(state.placer, short.member)
    if short.node:
        rooms = [state.cluster.nodes[short.node]]
    shares = (short.share,) if short.share else short.member.shares
    busy = {
        (room.facts.name, at): (room, at)
        for share in shares
        for room, at in allowed_cards(rooms, share)
        if at not in fitting_cards(room, share) and room.users[at]
    }
    order = sorted(busy.values(), key=lambda spot: _held(*spot))
    return order[: max(short.asked - short.best, 1)]


def _held(room: NodeRoom, at: int) -> int:
    whole = room.cards[at].memory_mib
    memory = (whole - room.mib_left[at]) * WHOLE // whole if whole else 0
    return WHOLE - room.milli_left[at] + memory


def _on_cards(state: State, spots: Iterable[Spot], *, in_mib: bool) -> Iterator[Holder]:
    for room, at in spots:
        card = room.cards[at].name
        for hold in state.claims.on(room.facts.name):
            found = _of_hold(hold, in_mib=in_mib)
            yield from (holder for holder in found if holder.card == card)


def _of_hold(hold: Hold, *, in_mib: bool) -> Iterator[Holder]:
    for part in hold.parts:
        amount = part.memory_mib if in_mib else part.milli
        mib = 0 if in_mib else part.memory_mib
        yield Holder(
            hold.owner,
            amount,
            mib,
            part.card,
            hold.node,
            hold.ends_at,
            hold.limited,
            hold.releasing,
        )


def _of_nodes(state: State, short: Shortage) -> Iterator[Holder]:
    rooms = suitable(state.placer, short.member)
    for node in [short.node] if short.node else [room.facts.name for room in rooms]:
        for placed in state.pods.on(node):
            in_cpu = short.resource is Resource.CPU
            amount = placed.cpu_milli if in_cpu else placed.memory_mib
            if amount:
                ends, limited = placed.ends_at, placed.limited
                yield Holder(placed.owner, amount, node=node, ends_at=ends, limited=limited)


def _largest(found: Iterable[Holder]) -> tuple[Holder, ...]:
    merged: dict[tuple[str, str, str], Holder] = {}
    for holder in found:
        key = (holder.node, holder.card, holder.name)
        merged[key] = _together(merged[key], holder) if key in merged else holder
    order = sorted(
        merged.values(),
        key=lambda h: (-h.amount, -h.memory_mib, h.node, h.card, h.name),
    )
    return tuple(order[:_MOST])


def _together(one: Holder, other: Holder) -> Holder:
    known = one.ends_at and other.ends_at
    return Holder(
        one.name,
        one.amount + other.amount,
        one.memory_mib + other.memory_mib,
        one.card,
        one.node,
        max(one.ends_at, other.ends_at) if known else 0,
        (one.limited or bool(one.ends_at)) and (other.limited or bool(other.ends_at)),
        one.releasing and other.releasing,
    )

"""Who holds what is missing: of the cards that are easiest to free, the largest holders."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from shoal.core.classes import allows
from shoal.core.cluster import Cluster, Node
from shoal.core.event import Hold
from shoal.core.reason import Holder, Resource
from shoal.core.shape import GroupShape
from shoal.core.shortage import Shortage, alone
from shoal.core.state import State

_MOST: Final = 4
"""Holders that a reason names."""

_MOST_CARDS: Final = 16
"""Busy cards that are looked at for them, the easiest to free first."""
_MOST_NODES: Final = 256
"""Nodes whose pods are looked at where no single one is short."""

Spot = tuple[str, str]
"""A card: the names of its node and its own."""


def holders(state: State, short: Shortage) -> tuple[Holder, ...]:
    """The largest holders of what is short, those of one card or node taken together."""
    match short.resource:
        case Resource.CARD_MEMORY | Resource.CARD_COMPUTE:
            card = state.cluster.nodes[short.node].cards[short.card].name
            in_mib = short.resource is Resource.CARD_MEMORY
            return _largest(_on_cards(state, [(short.node, card)], in_mib=in_mib))
        case Resource.CARDS | Resource.MEMBERS:
            return _largest(_on_cards(state, _easiest(state, short), in_mib=False))
        case Resource.CPU | Resource.MEMORY:
            return _largest(_of_nodes(state, short))


def releasing(state: State, shape: GroupShape) -> tuple[Holder, ...]:
    """The largest holders that are just ending, of the cards that the shape may use."""
    return _largest(
        holder
        for uid in state.releasing
        for hold in state.claims.counted[uid]
        if hold.releasing and hold.node in state.cluster.nodes
        for holder in _of_hold(hold, _usable_names(state, hold.node, shape), in_mib=False)
    )


def usable_cards(cluster: Cluster, node: Node, shape: GroupShape) -> list[int]:
    """The cards of a node that some member may use."""
    members = [m for m in dict.fromkeys(shape.members) if cluster.suits.one(node.number, m)]
    shares = [share for member in members for share in member.shares]
    return [
        at
        for at, card in enumerate(node.cards)
        if any(allows(share.models, card.model) for share in shares)
    ]


def _usable_names(state: State, name: str, shape: GroupShape) -> set[str]:
    node = state.cluster.nodes[name]
    return {node.cards[at].name for at in usable_cards(state.cluster, node, shape)}


def _easiest(state: State, short: Shortage) -> list[Spot]:
    """The cards that would have to be freed, those with least on them first."""
    cluster, most = state.cluster, min(max(short.asked - short.best, 1), _MOST_CARDS)
    on = cluster.nodes[short.node].number if short.node else -1
    shares = (short.share,) if short.share else short.member.shares
    busy: dict[Spot, int] = {}
    for share in shares:
        number = cluster.classes.number(alone(short.member, share))
        for held, node, at in cluster.engine.easiest(number, most, node=on):
            busy[cluster.name(node), cluster.by_number[node].cards[at].name] = held
    return sorted(busy, key=lambda spot: busy[spot])[:most]


def _on_cards(state: State, spots: Iterable[Spot], *, in_mib: bool) -> Iterator[Holder]:
    cards: dict[str, set[str]] = {}
    for node, card in spots:
        cards.setdefault(node, set()).add(card)
    for node, wanted in cards.items():
        for hold in state.claims.on(node):
            yield from _of_hold(hold, wanted, in_mib=in_mib)


def _of_hold(hold: Hold, cards: set[str], *, in_mib: bool) -> Iterator[Holder]:
    for part in hold.parts:
        if part.card not in cards:
            continue
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
    for node in [short.node] if short.node else _suited(state, short):
        for placed in state.pods.on(node):
            in_cpu = short.resource is Resource.CPU
            amount = placed.cpu_milli if in_cpu else placed.memory_mib
            if amount:
                ends, limited = placed.ends_at, placed.limited
                yield Holder(placed.owner, amount, node=node, ends_at=ends, limited=limited)


def _suited(state: State, short: Shortage) -> Iterator[str]:
    suits = state.cluster.suits.all(short.member)
    nodes = state.cluster.by_number.items()
    return islice((node.facts.name for at, node in nodes if suits[at]), _MOST_NODES)


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

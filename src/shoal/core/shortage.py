"""What keeps a shape from being placed on a cluster, with the arithmetic.

Asked of the live cluster it tells what is busy; asked of the ideal one, what is too large.
"""

from typing import NamedTuple

import msgspec

from shoal.core.cluster import NodeRoom
from shoal.core.fit import allows, best_cards, fitting_cards
from shoal.core.place import Placer
from shoal.core.reason import Resource
from shoal.core.shape import GroupShape, MemberShape
from shoal.units.gpu import WHOLE, Share


class Shortage(NamedTuple):
    """What is missing. Operands as in ``Reason``.

    ``member`` is the one that has no place; ``node`` and ``card`` (index) name where ``best``
    is, unless that is a sum.
    """

    resource: Resource
    member: MemberShape
    asked: int
    best: int
    total: int = 0
    share: Share | None = None
    members: int = 1
    fit: int = 0
    node: str = ""
    card: int = -1


def shortage(placer: Placer, shape: GroupShape) -> Shortage:
    """What is missing for a shape that ``placer`` cannot place, though some node suits each."""
    if len(shape.members) == 1:
        return _of_member(placer, shape.members[0])
    if shape.uniform:
        return _of_like_members(placer, shape)
    for member in dict.fromkeys(shape.members):
        if placer.rows.best(member) is None:
            return _of_member(placer, member)
    return _some_members(shape, len(placer.place_some(shape)))


def suitable(placer: Placer, member: MemberShape) -> list[NodeRoom]:
    """The nodes where the member may go at all."""
    return [room for room in placer.cluster.nodes.values() if room.suits(member)]


def allowed_cards(rooms: list[NodeRoom], share: Share) -> list[tuple[NodeRoom, int]]:
    """The cards of the nodes whose model will do."""
    return [
        (room, at)
        for room in rooms
        for at, card in enumerate(room.cards)
        if allows(share.models, card.model)
    ]


def usable_cards(placer: Placer, shape: GroupShape) -> dict[tuple[str, int], NodeRoom]:
    """The cards that some member may use, by the name of their node and their index."""
    return {
        (room.facts.name, at): room
        for member in dict.fromkeys(shape.members)
        for share in member.shares
        for room, at in allowed_cards(suitable(placer, member), share)
    }


def _of_like_members(placer: Placer, shape: GroupShape) -> Shortage:
    member, count = shape.members[0], len(shape.members)
    fit = len(placer.place_some(shape))
    fit_cards = len(placer.place_some(_without(shape, cpu=True, memory=True)))
    if fit_cards < count and len(member.shares) == 1 and (member.shares[0].whole or not shape.pack):
        return _different_cards(placer, member, count, fit)
    if fit == 0:
        return _of_member(placer, member)
    if fit_cards == count and len(placer.place_some(_without(shape, cpu=True))) == count:
        return _of_nodes(placer, Resource.CPU, member, count, fit)
    if fit_cards == count and len(placer.place_some(_without(shape, memory=True))) == count:
        return _of_nodes(placer, Resource.MEMORY, member, count, fit)
    return _some_members(shape, fit)


def _different_cards(placer: Placer, member: MemberShape, count: int, fit: int) -> Shortage:
    share, rooms = member.shares[0], suitable(placer, member)
    best = sum(len(fitting_cards(room, share)) for room in rooms)
    total, asked = len(allowed_cards(rooms, share)), count * share.count
    return Shortage(Resource.CARDS, member, asked, best, total, share, count, fit)


def _of_nodes(
    placer: Placer, resource: Resource, member: MemberShape, count: int, fit: int
) -> Shortage:
    rooms = suitable(placer, member)
    if resource is Resource.CPU:
        each = member.cpu_milli
        best = sum(max(room.cpu_left, 0) for room in rooms)
        total = sum(room.facts.cpu_milli for room in rooms)
    else:
        each = member.memory_mib
        best = sum(max(room.memory_left, 0) for room in rooms)
        total = sum(room.facts.memory_mib for room in rooms)
    return Shortage(resource, member, count * each, best, total, members=count, fit=fit)


def _some_members(shape: GroupShape, fit: int) -> Shortage:
    count, member = len(shape.members), shape.members[min(fit, len(shape.members) - 1)]
    share = member.shares[0] if shape.uniform and len(member.shares) == 1 else None
    return Shortage(Resource.MEMBERS, member, count, fit, count, share, count, fit)


def _without(shape: GroupShape, *, cpu: bool = False, memory: bool = False) -> GroupShape:
    member = shape.members[0]
    cpu_milli, memory_mib = 0 if cpu else member.cpu_milli, 0 if memory else member.memory_mib
    free = msgspec.structs.replace(member, cpu_milli=cpu_milli, memory_mib=memory_mib)
    return GroupShape((free,) * len(shape.members), shape.pack)


def _of_member(placer: Placer, member: MemberShape) -> Shortage:
    rooms = suitable(placer, member)
    with_cards = [room for room in rooms if best_cards(room, member) is not None]
    if not with_cards:
        return _of_cards(rooms, member)
    with_cpu = [room for room in with_cards if room.cpu_left >= member.cpu_milli]
    if member.cpu_milli and not with_cpu:
        room = max(with_cards, key=lambda room: room.cpu_left)
        best, most = max(room.cpu_left, 0), max(room.facts.cpu_milli for room in rooms)
        node = room.facts.name
        return Shortage(Resource.CPU, member, member.cpu_milli, best, most, node=node)
    room = max(with_cpu or with_cards, key=lambda room: room.memory_left)
    best, most = max(room.memory_left, 0), max(room.facts.memory_mib for room in rooms)
    node = room.facts.name
    return Shortage(Resource.MEMORY, member, member.memory_mib, best, most, node=node)


def _of_cards(rooms: list[NodeRoom], member: MemberShape) -> Shortage:
    for share in member.shares:
        alone = MemberShape(shares=(share,))
        if not any(best_cards(room, alone) for room in rooms):
            return _of_share(rooms, member, share)
    return Shortage(Resource.MEMBERS, member, 1, 0, 1)


def _of_share(rooms: list[NodeRoom], member: MemberShape, share: Share) -> Shortage:
    allowed = allowed_cards(rooms, share)
    if share.whole or share.count > 1 or not allowed:
        fitting = {room.facts.name: len(fitting_cards(room, share)) for room in rooms}
        node = max(fitting, key=lambda name: fitting[name])
        best, total = fitting[node], len(allowed)
        return Shortage(Resource.CARDS, member, share.count, best, total, share, node=node)
    roomy = [
        (room, at)
        for room, at in allowed
        if room.mib_left[at] >= share.memory_on(room.cards[at].memory_mib)
    ]
    if roomy:
        room, at = max(roomy, key=lambda spot: spot[0].milli_left[spot[1]])
        resource, asked, total = Resource.CARD_COMPUTE, share.milli, WHOLE
        best = max(room.milli_left[at], 0)
    else:
        room, at = max(allowed, key=lambda spot: spot[0].mib_left[spot[1]])
        resource, total = Resource.CARD_MEMORY, room.cards[at].memory_mib
        asked, best = share.memory_on(total), max(room.mib_left[at], 0)
    return Shortage(resource, member, asked, best, total, share, node=room.facts.name, card=at)

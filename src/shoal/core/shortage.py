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
from shoal.units.gpu import Share


class Shortage(NamedTuple):
    """What is missing. Operands as in ``Reason``, summed over ``members``.

    ``node`` and ``card`` (index) name where ``best`` is, unless that is a sum.
    """

    resource: Resource
    asked: int
    best: int
    total: int = 0
    share: Share | None = None
    members: int = 1
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


def _of_like_members(placer: Placer, shape: GroupShape) -> Shortage:
    member, count = shape.members[0], len(shape.members)
    fit = len(placer.place_some(shape))
    fit_cards = len(placer.place_some(_without(shape, cpu=True, memory=True)))
    if fit_cards < count and len(member.shares) == 1 and (member.shares[0].whole or not shape.pack):
        return _different_cards(placer, member, count, fit_cards)
    if fit == 0:
        return _of_member(placer, member)
    if fit_cards == count and len(placer.place_some(_without(shape, cpu=True))) == count:
        cpu = member.cpu_milli
        return Shortage(Resource.CPU, count * cpu, fit * cpu, members=count)
    if fit_cards == count and len(placer.place_some(_without(shape, memory=True))) == count:
        memory = member.memory_mib
        return Shortage(Resource.MEMORY, count * memory, fit * memory, members=count)
    return _some_members(shape, fit)


def _different_cards(placer: Placer, member: MemberShape, count: int, fit: int) -> Shortage:
    share = member.shares[0]
    total = len(allowed_cards(suitable(placer, member), share))
    asked, best = count * share.count, fit * share.count
    return Shortage(Resource.CARDS, asked, best, total, share, members=count)


def _some_members(shape: GroupShape, fit: int) -> Shortage:
    count = len(shape.members)
    shares = shape.members[0].shares
    share = shares[0] if shape.uniform and len(shares) == 1 else None
    return Shortage(Resource.MEMBERS, count, fit, count, share, members=count)


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
        most = max(room.facts.cpu_milli for room in rooms)
        best = max(room.cpu_left, 0)
        return Shortage(Resource.CPU, member.cpu_milli, best, most, node=room.facts.name)
    room = max(with_cpu or with_cards, key=lambda room: room.memory_left)
    most = max(room.facts.memory_mib for room in rooms)
    best = max(room.memory_left, 0)
    return Shortage(Resource.MEMORY, member.memory_mib, best, most, node=room.facts.name)


def _of_cards(rooms: list[NodeRoom], member: MemberShape) -> Shortage:
    for share in member.shares:
        alone = MemberShape(shares=(share,))
        if not any(best_cards(room, alone) for room in rooms):
            return _of_share(rooms, share)
    return Shortage(Resource.MEMBERS, 1, 0, 1)


def _of_share(rooms: list[NodeRoom], share: Share) -> Shortage:
    allowed = allowed_cards(rooms, share)
    if share.whole or share.count > 1 or not allowed:
        fitting = {room.facts.name: len(fitting_cards(room, share)) for room in rooms}
        node = max(fitting, key=lambda name: fitting[name])
        best = fitting[node]
        return Shortage(Resource.CARDS, share.count, best, len(allowed), share, node=node)
    roomy = [
        (room, at)
        for room, at in allowed
        if room.mib_left[at] >= share.memory_on(room.cards[at].memory_mib)
    ]
    if roomy:
        room, at = max(roomy, key=lambda spot: spot[0].milli_left[spot[1]])
        best, node = max(room.milli_left[at], 0), room.facts.name
        return Shortage(Resource.CARD_COMPUTE, share.milli, best, 1000, share, 1, node, at)
    room, at = max(allowed, key=lambda spot: spot[0].mib_left[spot[1]])
    mib, node = room.cards[at].memory_mib, room.facts.name
    asked, best = share.memory_on(mib), max(room.mib_left[at], 0)
    return Shortage(Resource.CARD_MEMORY, asked, best, mib, share, 1, node, at)

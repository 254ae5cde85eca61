"""What keeps a shape from being placed on a cluster, with the arithmetic.

Asked of the live cluster it tells what is busy; asked of the ideal one, what is too large.
"""

from typing import NamedTuple

import msgspec

from shoal.core.engine.spec import Survey
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
        if placer.best(member) is None:
            return _of_member(placer, member)
    return _some_members(shape, len(placer.place_some(shape)))


def alone(member: MemberShape, share: Share) -> MemberShape:
    """The member as if it asked for this share only."""
    return msgspec.structs.replace(member, cpu_milli=0, memory_mib=0, shares=(share,), level=False)


def _of_like_members(placer: Placer, shape: GroupShape) -> Shortage:
    member, count = shape.members[0], len(shape.members)
    fit = placer.fitting(shape)
    fit_cards = placer.fitting(_without(shape, cpu=True, memory=True))
    if fit_cards < count and len(member.shares) == 1 and (member.shares[0].whole or not shape.pack):
        return _different_cards(placer, member, count, fit)
    if fit == 0:
        return _of_member(placer, member)
    if fit_cards == count and placer.fitting(_without(shape, cpu=True)) == count:
        return _of_nodes(placer, Resource.CPU, member, count, fit)
    if fit_cards == count and placer.fitting(_without(shape, memory=True)) == count:
        return _of_nodes(placer, Resource.MEMORY, member, count, fit)
    return _some_members(shape, fit)


def _different_cards(placer: Placer, member: MemberShape, count: int, fit: int) -> Shortage:
    share, there = member.shares[0], placer.survey(member)
    asked = count * share.count
    return Shortage(Resource.CARDS, member, asked, there.fitting, there.allowed, share, count, fit)


def _of_nodes(
    placer: Placer, resource: Resource, member: MemberShape, count: int, fit: int
) -> Shortage:
    there = placer.survey(member)
    if resource is Resource.CPU:
        each, best, total = member.cpu_milli, there.cpu_free, there.cpu_there
    else:
        each, best, total = member.memory_mib, there.memory_free, there.memory_there
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
    there = placer.survey(member)
    if not there.served:
        return _of_cards(placer, member)
    if member.cpu_milli > there.cpu.amount:
        resource, asked, most = Resource.CPU, member.cpu_milli, there.cpu
        total = there.cpu_largest
    else:
        resource, asked, most = Resource.MEMORY, member.memory_mib, there.memory
        total = there.memory_largest
    node = placer.cluster.name(most.node)
    return Shortage(resource, member, asked, max(most.amount, 0), total, node=node)


def _of_cards(placer: Placer, member: MemberShape) -> Shortage:
    for share in member.shares:
        there = placer.survey(alone(member, share))
        if not there.served:
            return _of_share(placer, member, share, there)
    return Shortage(Resource.MEMBERS, member, 1, 0, 1)


def _of_share(placer: Placer, member: MemberShape, share: Share, there: Survey) -> Shortage:
    if share.whole or share.count > 1 or not there.allowed:
        resource, most = Resource.CARDS, there.cards
        asked, total = share.count, there.allowed
    elif there.card_compute.node >= 0:
        resource, most = Resource.CARD_COMPUTE, there.card_compute
        asked, total = share.milli, WHOLE
    else:
        resource, most = Resource.CARD_MEMORY, there.card_memory
        total = placer.cluster.by_number[most.node].cards[most.card].memory_mib
        asked = share.memory_on(total)
    node, best = placer.cluster.name(most.node), max(most.amount, 0)
    return Shortage(resource, member, asked, best, total, share, node=node, card=most.card)

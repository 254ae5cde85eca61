"""Request classes: what a member or a group asks for, without its names.

Groups of the same shape are alike to the placer, so candidates, failures and reasons are kept
by shape. Real clusters have few: 151 classes in 10,800 pods of a published trace.
"""

from functools import lru_cache

import msgspec

from shoal.core.event import Group, Member
from shoal.core.taints import Toleration
from shoal.units.gpu import Share


class MemberShape(msgspec.Struct, frozen=True, cache_hash=True):
    """What one member asks for. ``shares`` are those of its claims, the hardest first.

    ``level`` makes it take the emptiest cards instead of the fullest: of a packed gang whose
    members take several cards each, only then are all placed that fit.
    """

    cpu_milli: int = 0
    memory_mib: int = 0
    shares: tuple[Share, ...] = ()
    node_selector: tuple[tuple[str, str], ...] = ()
    pinned: str = ""
    host_image: bool = True
    tolerations: tuple[Toleration, ...] = ()
    level: bool = False


class GroupShape(msgspec.Struct, frozen=True, cache_hash=True):
    """What a group asks for. ``members`` come the hardest first, like ones side by side."""

    members: tuple[MemberShape, ...]
    pack: bool = False

    @property
    def uniform(self) -> bool:
        """Whether all members ask for the same."""
        return self.members[0] == self.members[-1]


def group_shape(group: Group) -> GroupShape:
    """The shape of a group with at least one member."""
    packed = group.pack and len(group.members) > 1
    members = [_member_shape(member, packed=packed) for member in group.members]
    if len(members) > 1:
        members.sort(key=_hardest)
    return _group(tuple(members), group.pack)


def member_order(group: Group) -> list[int]:
    """The indices of the group's members in the order of the shape's."""
    if len(group.members) == 1:
        return [0]
    packed = group.pack
    keys = [_hardest(_member_shape(member, packed=packed)) for member in group.members]
    return sorted(range(len(keys)), key=lambda at: keys[at])


def claim_order(member: Member) -> list[int]:
    """The indices of the member's claims in the order of its shape's shares."""
    if len(member.claims) < 2:
        return list(range(len(member.claims)))
    keys = [_hardest_share(claim.share) for claim in member.claims]
    return sorted(range(len(keys)), key=lambda at: keys[at])


def _member_shape(member: Member, *, packed: bool) -> MemberShape:
    shares = [claim.share for claim in member.claims]
    selector = member.node_selector
    return _interned(
        member.cpu_milli,
        member.memory_mib,
        tuple(shares) if len(shares) < 2 else tuple(sorted(shares, key=_hardest_share)),
        selector if len(selector) < 2 else tuple(sorted(selector)),
        member.pinned,
        member.host_image,
        member.tolerations,
        packed and any(share.count > 1 for share in shares),
    )


# Like shapes are one object, which is compared and hashed at once.
_interned = lru_cache(maxsize=4096)(MemberShape)
_group = lru_cache(maxsize=4096)(GroupShape)


def _hardest(shape: MemberShape) -> tuple[object, ...]:
    """Sorts by difficulty, and otherwise by all the rest, so that like ones lie together."""
    return (
        not shape.pinned,
        [_hardest_share(share) for share in shape.shares] or [_NO_SHARE],
        -shape.cpu_milli,
        -shape.memory_mib,
        shape.pinned,
        shape.node_selector,
        shape.host_image,
        [str(one) for one in shape.tolerations],
    )


def _hardest_share(share: Share) -> tuple[bool, int, int, int, bool, tuple[str, ...]]:
    return (
        not share.whole,
        -share.count,
        -share.milli,
        -share.memory_mib,
        not share.models,
        share.models,
    )


_NO_SHARE = (True, 0, 0, 0, True, ())

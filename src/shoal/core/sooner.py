"""Other shapes of a waiting group that would start now, found by placing them on trial."""

from collections.abc import Iterator
from typing import Final

import msgspec

from shoal.core.assume import placements
from shoal.core.event import ClaimAsk, Group, Member
from shoal.core.report import Alternative
from shoal.core.shape import MemberShape, group_shape
from shoal.core.state import State
from shoal.units.gpu import Share

_MOST: Final = 3
"""Alternatives that are told."""
_PARTS: Final = (500, 250, 125)
"""Parts of a card that are offered, in milli-card."""
_GIB: Final = 1024


def sooner(state: State, group: Group) -> tuple[Alternative, ...]:
    """What else would start now: packed, smaller or fewer parts of cards, or other models.

    Only for groups whose members all ask for one claim of the same share.
    """
    shares = {claim.share for member in group.members for claim in member.claims}
    if len(shares) != 1 or any(len(member.claims) != 1 for member in group.members):
        return ()
    found: dict[tuple[Share, bool], Alternative] = {}
    for share, pack in _shapes(state, group, shares.pop()):
        alternative = _try(state, group, share, pack=pack)
        if alternative is not None:
            found[share, pack] = alternative
        if len(found) == _MOST:
            break
    return tuple(found.values())


def _shapes(state: State, group: Group, asked: Share) -> Iterator[tuple[Share, bool]]:
    pack = group.pack
    if len(group.members) > 1 and not pack and not asked.whole:
        yield asked, True
    if asked.memory_mib:
        yield from ((share, pack) for share in _less_memory(state, asked))
    else:
        smaller = [milli for milli in _PARTS if milli < asked.milli]
        yield from ((msgspec.structs.replace(asked, milli=milli), pack) for milli in smaller[:2])
    if asked.count > 1:
        fewer = _most_cards(state, group, asked)
        if fewer:
            yield msgspec.structs.replace(asked, count=fewer), pack
    if asked.models:
        yield msgspec.structs.replace(asked, models=()), pack


def _less_memory(state: State, asked: Share) -> Iterator[Share]:
    if asked.milli:
        yield msgspec.structs.replace(asked, milli=0)
    largest = state.placer.survey(MemberShape(shares=(_ANY_PART,))).card_memory.amount
    whole_gib = largest // _GIB * _GIB
    if 0 < whole_gib < asked.memory_mib:
        yield msgspec.structs.replace(asked, memory_mib=whole_gib)


def _most_cards(state: State, group: Group, asked: Share) -> int:
    """The most cards, fewer than asked, that could be had now; 0 for none."""
    low, high = 0, asked.count - 1
    while low < high:
        middle = (low + high + 1) // 2
        share = msgspec.structs.replace(asked, count=middle)
        if _try(state, group, share, pack=group.pack) is None:
            high = middle - 1
        else:
            low = middle
    return low


def _try(state: State, group: Group, share: Share, *, pack: bool) -> Alternative | None:
    members = tuple(_with_share(member, share) for member in group.members)
    changed = msgspec.structs.replace(group, members=members, pack=pack)
    spots = state.placer.place(group_shape(changed))
    if spots is None:
        return None
    cards = {
        (placement.node, part.card)
        for placement in placements(state.cluster, changed, spots)
        for claim in placement.claims
        for part in claim.parts
    }
    return Alternative(share, tuple(sorted(cards)), pack)


def _with_share(member: Member, share: Share) -> Member:
    claims = tuple(ClaimAsk(claim.uid, claim.name, share) for claim in member.claims)
    return msgspec.structs.replace(member, claims=claims)


_ANY_PART: Final = Share(memory_mib=1)

"""Spots into placements: what a decision says, and how it is assumed in the state."""

from collections.abc import Iterable, Iterator

from shoal.core.cluster import Cluster
from shoal.core.decision import Bind, ClaimPlacement, Placement
from shoal.core.event import Group, Hold, Member, Part, Placed
from shoal.core.line import Waiting
from shoal.core.place import Spot
from shoal.core.shape import claim_order, member_order
from shoal.core.state import Flight, State


def assume(state: State, waiting: Waiting, spots: Iterable[Spot]) -> Bind:
    """Decide that a waiting group gets these spots, and take their room from now on."""
    group = waiting.group
    bind = Bind(group.key, state.next_decision, placements(state.cluster, group, spots))
    state.next_decision += 1
    waiting.told, waiting.retry_at, waiting.refusal = None, 0, ""
    holds = list(_holds(group, bind))
    pods = list(_pods(group, bind))
    flight = Flight(
        group.key,
        claims=dict.fromkeys(hold.claim for hold in holds),
        pods=dict.fromkeys(placed.pod for placed in pods),
    )
    state.flights[bind.id] = flight
    for hold in holds:
        state.claims.assumed[hold.claim] = hold
        state.flight_of[hold.claim] = bind.id
        state.count_claim(hold.claim)
    for placed in pods:
        state.pods.assumed[placed.pod] = placed
        state.flight_of[placed.pod] = bind.id
        state.count_pod(placed.pod)
    return bind


def placements(cluster: Cluster, group: Group, spots: Iterable[Spot]) -> tuple[Placement, ...]:
    """What each member gets, in the order of the group's members."""
    spot_of = dict(zip(member_order(group), spots, strict=True))
    return tuple(
        _placement(cluster, member, spot_of[at]) for at, member in enumerate(group.members)
    )


def _placement(cluster: Cluster, member: Member, spot: Spot) -> Placement:
    facts = cluster.nodes[spot.node].cards
    cards_of = dict(zip(claim_order(member), spot.cards, strict=True))
    claims = []
    for number, ask in enumerate(member.claims):
        parts = tuple(
            Part(facts[at].name, ask.share.memory_on(facts[at].memory_mib), ask.share.milli)
            for at in sorted(cards_of[number])
        )
        claims.append(ClaimPlacement(ask.uid, ask.name, parts))
    return Placement(member.pod, member.name, spot.node, tuple(claims))


def _holds(group: Group, bind: Bind) -> Iterator[Hold]:
    shares = {claim.uid: claim.share for member in group.members for claim in member.claims}
    for placement in bind.placements:
        for claim in placement.claims:
            share = shares[claim.claim]
            yield Hold(claim.claim, group.owner, placement.node, claim.parts, share)


def _pods(group: Group, bind: Bind) -> Iterator[Placed]:
    for member, placement in zip(group.members, bind.placements, strict=True):
        yield Placed(member.pod, group.owner, placement.node, member.cpu_milli, member.memory_mib)

"""What would become of a group that is not in the line, were it handed in now."""

from shoal.core.assume import placements
from shoal.core.cluster import Cluster
from shoal.core.decision import Placement
from shoal.core.event import Group, Part
from shoal.core.explain import NEVER
from shoal.core.forecast import forecast
from shoal.core.line import Waiting
from shoal.core.place import Spot
from shoal.core.reasons import not_ready, why_not
from shoal.core.report import Forecast, Plan, PlannedCard, PlannedMember, Verdict
from shoal.core.shape import GroupShape, group_shape
from shoal.core.sooner import sooner
from shoal.core.state import State


def plan(state: State, group: Group, now: int) -> Plan:
    """What would happen; nothing is changed. The uids of the group's claims must differ."""
    reason = not_ready(state, group)
    if reason is not None:
        return Plan(Verdict.WAITS, reason=reason)
    shape = group_shape(group)
    spots = state.placer.place(shape)
    if spots is not None:
        return Plan(Verdict.NOW, _members(state, group, shape, spots))
    reason = why_not(state, shape)
    never = reason.code in NEVER
    return Plan(
        Verdict.NEVER if never else Verdict.WAITS,
        reason=reason,
        forecast=Forecast() if never else forecast(state, shape, _ahead(state, group, shape), now),
        sooner=sooner(state, group),
    )


def _ahead(state: State, group: Group, shape: GroupShape) -> list[Waiting]:
    turn = Waiting(group, shape).turn
    others = sorted(state.line.values(), key=lambda other: other.turn)
    return [other for other in others if other.turn < turn and other.group.key != group.key]


def _members(
    state: State, group: Group, shape: GroupShape, spots: tuple[Spot, ...]
) -> tuple[PlannedMember, ...]:
    placed = placements(state.cluster, group, spots)
    start = state.cluster.engine.checkpoint()
    state.placer.take_all(shape, spots)
    members = tuple(_member(state.cluster, one) for one in placed)
    state.cluster.engine.rollback(start)
    return members


def _member(cluster: Cluster, placed: Placement) -> PlannedMember:
    parts = [part for claim in placed.claims for part in claim.parts]
    cards = tuple(_card(cluster, placed.node, part) for part in parts)
    return PlannedMember(placed.name, placed.node, cards)


def _card(cluster: Cluster, name: str, part: Part) -> PlannedCard:
    node = cluster.nodes[name]
    at = node.index[part.card]
    facts, left = node.cards[at], cluster.left(name).cards[at]
    return PlannedCard(
        card=part.card,
        model=facts.model,
        memory_mib=part.memory_mib,
        milli=part.milli,
        memory_left_mib=left.mib,
        milli_left=left.milli,
        simulated=facts.simulated,
    )

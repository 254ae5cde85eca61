"""The one dominant reason why a group is not placed, the most basic first."""

from collections import Counter
from typing import Final

from shoal.core.charge import give
from shoal.core.cluster import Cluster, Node
from shoal.core.event import Group
from shoal.core.holders import holders, releasing
from shoal.core.line import Waiting
from shoal.core.place import Placer
from shoal.core.reason import Code, Holder, Reason, Resource
from shoal.core.shape import GroupShape, MemberShape
from shoal.core.shortage import Shortage, alone, shortage
from shoal.core.state import State
from shoal.core.taints import untolerated
from shoal.units.gpu import Share

_BUSY: Final = {
    Resource.CARDS: Code.CARDS_BUSY,
    Resource.CARD_MEMORY: Code.MEMORY_BUSY,
    Resource.CARD_COMPUTE: Code.COMPUTE_BUSY,
    Resource.CPU: Code.CPU_BUSY,
    Resource.MEMORY: Code.HOST_MEMORY_BUSY,
    Resource.MEMBERS: Code.GANG_BUSY,
}
_MOST_NAMED: Final = 4
"""Closed nodes that a reason names."""


def reason_of(state: State, waiting: Waiting, now: int) -> Reason:
    """Why a group in the line, that was tried, waits."""
    if waiting.retry_at > now:
        return Reason(Code.RETRYING, detail=waiting.refusal)
    return not_ready(state, waiting.group) or why_not(state, waiting.shape)


def reason_known(state: State, shape: GroupShape) -> bool:
    """Whether ``why_not`` costs nothing for this shape."""
    return state.memory.reasons_at == state.changes and shape in state.memory.reasons


def not_ready(state: State, group: Group) -> Reason | None:
    """Why the group cannot be placed whatever is free: it is incomplete, or its claims are not.

    None where there is no such reason.
    """
    if len(group.members) < max(group.size, 1):
        there = len(group.members)
        size = max(group.size, 1)
        return Reason(Code.GANG_INCOMPLETE, Resource.MEMBERS, size, there, members=size)
    for member in group.members:
        if member.blocked:
            return Reason(Code.CLAIM_MISSING, detail=member.blocked)
    return _claims_taken(state, group)


def why_not(state: State, shape: GroupShape) -> Reason:
    """Why a shape that cannot be placed now cannot. Remembered until something changes."""
    memory = state.memory
    if memory.reasons_at != state.changes:
        memory.reasons_at = state.changes
        memory.reasons.clear()
    known = memory.reasons.get(shape)
    if known is None:
        known = memory.reasons[shape] = _work_out(state, shape)
    return known


def _work_out(state: State, shape: GroupShape) -> Reason:
    if not state.cluster.nodes:
        return Reason(Code.NO_NODES)
    lasting = state.memory.lasting
    if shape not in lasting:
        lasting[shape] = _never(state, shape) or _closed(state, shape)
    return lasting[shape] or _ending(state, shape) or _busy(state, shape)


def _claims_taken(state: State, group: Group) -> Reason | None:
    """Why claims that are asked for cannot be allocated: they still are, or are named twice."""
    asked = [claim for member in group.members for claim in member.claims]
    for claim in asked:
        held = state.claims.seen.get(claim.uid)
        if held is not None and held.releasing:
            who = Holder(held.owner, 0, node=held.node, releasing=True)
            return Reason(Code.RELEASING, holders=(who,))
        if held is not None:
            return Reason(Code.CLAIM_MISSING, detail=f"claim {claim.name} is just being allocated")
    if len({claim.uid for claim in asked}) == len(asked):
        return None
    times = Counter(claim.uid for claim in asked)
    for claim in asked:
        if times[claim.uid] > 1:
            return Reason(Code.CLAIM_MISSING, detail=f"claim {claim.name} is shared inside a gang")
    return None


def _never(state: State, shape: GroupShape) -> Reason | None:
    """Why the shape could not be placed even if all nodes were open and nothing was held."""
    for member in dict.fromkeys(shape.members):
        if reason := _unsuited(state, member):
            return reason
    if state.ideal.place(shape) is not None or _maybe(state.ideal, shape):
        return None
    short = shortage(state.ideal, shape)
    return _reason(state, Code.TOO_LARGE, short, models=_counted(state, short))


def _maybe(ideal: Placer, shape: GroupShape) -> bool:
    """Whether the search for a place ended early though each member has one."""
    return ideal.gave_up and all(map(ideal.fits, dict.fromkeys(shape.members)))


def _unsuited(state: State, member: MemberShape) -> Reason | None:
    """Why no node is of the kind that the member needs."""
    ideal = state.ideal.cluster
    nodes = list(ideal.nodes.values())
    if member.pinned:
        nodes = [node for node in nodes if node.facts.name == member.pinned]
    if not nodes:
        where = f"its claim is held on {member.pinned}, which is gone"
        return Reason(Code.NO_NODES, detail=where)
    wanted = set(member.node_selector)
    if wanted and not any(wanted.issubset(node.facts.labels) for node in nodes):
        labels = ", ".join(f"{key}={value}" for key, value in member.node_selector)
        return Reason(Code.SELECTOR, detail=labels)
    suited = ideal.suits.all(member).count(1)
    if not suited:
        return Reason(Code.NO_RUNTIME)
    for share in member.shares:
        if share.models and not state.ideal.survey(alone(member, share)).allowed:
            narrowed, there = suited < len(ideal.nodes), _models(ideal, member, _ANY)
            return Reason(Code.NO_MODEL, share=share, narrowed=narrowed, models=there)
    return None


def _closed(state: State, shape: GroupShape) -> Reason | None:
    """The nodes that could ever take a member are all closed, or have taints against it."""
    nodes, suits = state.cluster.nodes, state.cluster.suits
    for member in dict.fromkeys(shape.members):
        best = state.ideal.best(member)
        if best is not None and suits.one(nodes[best.node].number, member):
            continue
        could = [nodes[node.facts.name] for node in state.ideal.nodes(member)]
        if not any(suits.one(node.number, member) for node in could):
            named = (f"{node.facts.name}: {_bars(node, member)}" for node in could[:_MOST_NAMED])
            return Reason(_closed_code(could), total=len(could), detail="; ".join(named))
    return None


def _closed_code(could: list[Node]) -> Code:
    if any(node.facts.unknown for node in could):
        return Code.NODE_UNKNOWN
    return Code.NO_NODES if all(node.facts.closed for node in could) else Code.TAINTED


def _bars(node: Node, member: MemberShape) -> str:
    """What keeps the member from a node that it suits otherwise."""
    if node.facts.closed:
        return node.facts.closed
    return "tainted " + ", ".join(map(str, untolerated(node.facts.taints, member.tolerations)))


def _ending(state: State, shape: GroupShape) -> Reason | None:
    """It would fit once programs that are just ending are gone."""
    if not state.releasing:
        return None
    start = state.cluster.engine.checkpoint()
    for uid in state.releasing:
        for hold in state.claims.counted[uid]:
            if hold.releasing:
                give(state.cluster, hold)
    fits = state.placer.place(shape) is not None
    state.cluster.engine.rollback(start)
    return Reason(Code.RELEASING, holders=releasing(state, shape)) if fits else None


def _busy(state: State, shape: GroupShape) -> Reason:
    short = shortage(state.placer, shape)
    return _reason(state, _BUSY[short.resource], short, held_by=holders(state, short))


def _reason(
    state: State,
    code: Code,
    short: Shortage,
    *,
    held_by: tuple[Holder, ...] = (),
    models: tuple[str, ...] = (),
) -> Reason:
    return Reason(
        code=code,
        resource=short.resource,
        asked=short.asked,
        best=short.best,
        total=short.total,
        share=short.share,
        members=short.members,
        fit=short.fit,
        narrowed=state.ideal.cluster.suits.all(short.member).count(1) < len(state.cluster.nodes),
        holders=held_by,
        models=models,
    )


def _counted(state: State, short: Shortage) -> tuple[str, ...]:
    """The cards that ``total`` counts."""
    if short.resource is not Resource.CARDS:
        return ()
    return _models(state.ideal.cluster, short.member, short.share or _ANY)


def _models(cluster: Cluster, member: MemberShape, share: Share) -> tuple[str, ...]:
    """The cards where the member may go, of models that will do, as ``2 × A100-80GB``."""
    suits = cluster.suits.all(member)
    found: Counter[str] = Counter()
    for number, node in cluster.by_number.items():
        if suits[number]:
            found.update(node.models)
    allowed = (name for name in sorted(found) if share.allows(name))
    return tuple(f"{found[name]} × {name}" for name in allowed)


_ANY: Final = Share()

"""What must be true of a reason, by its code: worked out from what was told, by brute force."""

from collections import Counter
from itertools import combinations

import msgspec
from core_oracle import Oracle, tolerates

from shoal.core.event import AnyEvent, Group, HoldChanged, Member, NodeChanged, PodPlaced
from shoal.core.reason import Code, Reason, Resource
from shoal.units.gpu import Share


def holders_hold(told: list[AnyEvent], why: Reason) -> None:
    """Each holder has at least as much there as it is said to have."""
    for who in why.holders:
        if why.resource in (Resource.CPU, Resource.MEMORY):
            pods = [e.placed for e in told if isinstance(e, PodPlaced)]
            mine = [one for one in pods if (one.owner, one.node) == (who.name, who.node)]
            in_cpu = why.resource is Resource.CPU
            assert who.amount == sum(p.cpu_milli if in_cpu else p.memory_mib for p in mine) > 0
            continue
        parts = [
            part
            for event in told
            if isinstance(event, HoldChanged) and event.hold.owner == who.name
            for part in event.hold.parts
            if (event.hold.node, part.card) == (who.node, who.card)
        ]
        assert parts
        amount = "memory_mib" if why.resource is Resource.CARD_MEMORY else "milli"
        assert who.amount == sum(getattr(part, amount) for part in parts)


def no_nodes(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    """Some member could not go to any node that is open, even if nothing else ran."""
    oracle = Oracle(told, empty=True)
    oracle.ignore_closed = False
    alone = [only(asked, [member]) for member in asked.members]
    stuck = [one for one in alone if not oracle.can_place(one)]
    assert any(why.detail == closed_for(told, one) for one in stuck)


def node_unknown(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    """The same, and nothing is heard of one of the nodes that it could go to."""
    no_nodes(told, asked, why)
    silent = [event.name for event in told if isinstance(event, NodeChanged) and event.unknown]
    assert any(f"{name}: " in why.detail for name in silent)


def closed_for(told, asked: Group) -> str:
    """The closed nodes that a group of one could go to, or the node that its claim is held on."""
    nodes = [event for event in told if isinstance(event, NodeChanged)]
    pinned = asked.members[0].pinned
    if pinned and pinned not in {node.name for node in nodes}:
        return f"its claim is held on {pinned}, which is gone"
    could = [node for node in nodes if Oracle([node], empty=True).can_place(asked)]
    return "; ".join(f"{node.name}: {node.closed or tainted(node, asked)}" for node in could)


def tainted(node: NodeChanged, asked: Group) -> str:
    """The taints of a node that a group of one does not tolerate."""
    alone = [msgspec.structs.replace(node, taints=(one,)) for one in node.taints]
    bars = [one.taints[0] for one in alone if not tolerates(asked.members[0], one)]
    return "tainted " + ", ".join(str(one) for one in bars)


def node_tainted(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    """The same, and one of the nodes that it could go to is open but for its taints."""
    no_nodes(told, asked, why)
    assert ": tainted " in why.detail


def no_runtime(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    assert any(not member.host_image for member in asked.members)


def no_model(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    assert why.share is not None
    member = next(m for m in asked.members if any(c.share == why.share for c in m.claims))
    oracle = Oracle(told, empty=True)
    suits = [n for n in oracle.nodes.values() if not member.pinned or n.name == member.pinned]
    labelled = [n for n in suits if set(member.node_selector) <= set(n.labels)]
    able = [n for n in labelled if member.host_image or n.containers]
    assert not any(why.share.allows(card.model) for node in able for card in node.cards)


def too_large(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    oracle = Oracle(told, empty=True)
    assert not oracle.can_place(asked)
    missing(oracle, asked, why)


def missing(oracle: Oracle, asked: Group, why: Reason) -> None:
    """What is asked for and what is there is counted right, and it does not suffice."""
    like = all(alike(one) == alike(asked.members[0]) for one in asked.members)
    if why.members > 1:
        assert why.members == len(asked.members)
        assert why.fit == most_that_fit(oracle, asked) if like else why.fit < why.members
    else:
        assert why.asked > why.best or why.resource is Resource.MEMBERS
    if why.resource is Resource.CARDS:
        cards_counted(oracle, asked, why)
    elif why.resource in (Resource.CPU, Resource.MEMORY) and why.members > 1:
        left = oracle.cpu if why.resource is Resource.CPU else oracle.memory
        open_nodes = [
            node for node in oracle.nodes.values() if may_go(oracle, node, asked.members[0])
        ]
        assert why.best == sum(max(left[node.name], 0) for node in open_nodes)


def most_that_fit(oracle: Oracle, asked: Group) -> int:
    """How many of these like members have room at the same time."""
    counts = range(len(asked.members), 0, -1)
    return next((n for n in counts if oracle.can_place(only(asked, asked.members[:n]))), 0)


def alike(member: Member) -> object:
    """What a member asks for."""
    return msgspec.structs.replace(
        member, pod="", name="", claims=tuple(claim.share for claim in member.claims)
    )


def cards_counted(oracle: Oracle, asked: Group, why: Reason) -> None:
    """The counts are those of some member that asks for this share: members may differ."""
    claimants = [m for m in asked.members if any(c.share == why.share for c in m.claims)]
    assert why.asked == why.share.count * why.members
    assert any(counts_for(oracle, member, why) for member in claimants)


def counts_for(oracle: Oracle, member: Member, why: Reason) -> bool:
    """Whether cards are counted as a member may use them."""
    nodes = [node for node in oracle.nodes.values() if may_go(oracle, node, member)]
    there = [(node, at) for node in nodes for at in range(len(node.cards))]
    of_model = [spot for spot in there if why.share.allows(spot[0].cards[spot[1]].model)]
    claim = next(claim for claim in member.claims if claim.share == why.share)
    free = Counter(node.name for node, at in of_model if oracle.fits((node.name, at), claim))
    models = Counter(node.cards[at].model for node, at in of_model)
    listed = tuple(f"{n} × {model}" for model, n in sorted(models.items()))
    best = free.total() if why.members > 1 else max(free.values(), default=0)
    narrowed = any(not may_go_ever(node, member) for node in oracle.nodes.values())
    told = why.total, why.best, why.narrowed
    return told == (len(of_model), best, narrowed) and why.models in ((), listed)


def selector(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    assert any(
        not any(
            set(member.node_selector) <= set(node.labels)
            for node in Oracle(told).nodes.values()
            if member.pinned in ("", node.name)
        )
        for member in asked.members
    )


def busy_as_told(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    oracle = Oracle(told)
    assert not oracle.can_place(asked)
    missing(oracle, asked, why)


def only(asked: Group, members) -> Group:
    """The group with no more than these members."""
    return msgspec.structs.replace(asked, members=tuple(members), size=len(members))


def may_go(oracle: Oracle, node: NodeChanged, member: Member) -> bool:
    """Whether a node is open to a member, however much is free."""
    is_open = not node.closed and tolerates(member, node)
    return (oracle.ignore_closed or is_open) and may_go_ever(node, member)


def may_go_ever(node: NodeChanged, member: Member) -> bool:
    return (
        member.pinned in ("", node.name)
        and set(member.node_selector) <= set(node.labels)
        and (member.host_image or node.containers)
    )


def memory_busy(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    assert why.share is not None
    oracle, member = Oracle(told), of_share(asked, why.share)
    holes = {
        (node.name, at): (oracle.mib[node.name, at], card.memory_mib)
        for node in oracle.nodes.values()
        if may_go(oracle, node, member)
        for at, card in enumerate(node.cards)
        if why.share.allows(card.model)
    }
    assert why.best == max(hole for hole, _ in holes.values())
    assert why.asked in {
        why.share.memory_on(size) for hole, size in holes.values() if hole == why.best
    }
    assert all(hole < why.share.memory_on(size) for hole, size in holes.values())


def compute_busy(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    assert why.share is not None
    oracle, member = Oracle(told), of_share(asked, why.share)
    roomy = [
        oracle.milli[node.name, at]
        for node in oracle.nodes.values()
        if may_go(oracle, node, member)
        for at, card in enumerate(node.cards)
        if why.share.allows(card.model)
        and oracle.mib[node.name, at] >= why.share.memory_on(card.memory_mib)
    ]
    assert why.best == max(roomy) < why.asked == why.share.milli


def of_share(asked: Group, share: Share):
    return next(m for m in asked.members if any(c.share == share for c in m.claims))


def cpu_busy(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    node_busy(told, asked, why, "cpu_milli", "cpu")


def host_memory_busy(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    node_busy(told, asked, why, "memory_mib", "memory")


def node_busy(told: list[AnyEvent], asked: Group, why: Reason, field: str, left: str) -> None:
    """Less is free than asked; and with that much of it asked for as is free, all would fit."""
    oracle = Oracle(told)
    assert why.best < why.asked or why.fit < why.members
    if why.members > 1:
        assert why.asked == sum(getattr(member, field) for member in asked.members)
        missing(oracle, asked, why)
        setattr(oracle, left, dict.fromkeys(oracle.nodes, 10**9))
        assert oracle.can_place(asked)
        return
    assert why.best in {max(free, 0) for free in getattr(oracle, left).values()}
    other = "memory" if left == "cpu" else "cpu"
    setattr(oracle, other, dict.fromkeys(oracle.nodes, 10**9))
    stuck = [m for m in asked.members if getattr(m, field) == why.asked]
    assert any(not oracle.can_place(only(asked, [member])) for member in stuck)


def gang_busy(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    """So many of the members fit at the same time, or all claims of one, but not all."""
    oracle = Oracle(told)
    assert why.best < why.asked
    if why.members > 1:
        assert why.asked == len(asked.members)
        missing(oracle, asked, why)
        assert any(oracle.can_place(only(asked, m)) for m in combinations(asked.members, why.best))
        return
    stuck = [member for member in asked.members if not oracle.can_place(only(asked, [member]))]
    for claim in stuck[0].claims:
        alone = msgspec.structs.replace(stuck[0], claims=(claim,), cpu_milli=0, memory_mib=0)
        assert oracle.can_place(only(asked, [alone]))


def releasing(told: list[AnyEvent], asked: Group, why: Reason) -> None:
    ended = [e for e in told if not (isinstance(e, HoldChanged) and e.hold.releasing)]
    assert Oracle(ended).can_place(asked)
    assert all(who.releasing for who in why.holders)


TRUTHS = {
    Code.NO_NODES: no_nodes,
    Code.NODE_UNKNOWN: node_unknown,
    Code.TAINTED: node_tainted,
    Code.NO_RUNTIME: no_runtime,
    Code.NO_MODEL: no_model,
    Code.TOO_LARGE: too_large,
    Code.SELECTOR: selector,
    Code.CARDS_BUSY: busy_as_told,
    Code.MEMORY_BUSY: memory_busy,
    Code.COMPUTE_BUSY: compute_busy,
    Code.CPU_BUSY: cpu_busy,
    Code.HOST_MEMORY_BUSY: host_memory_busy,
    Code.GANG_BUSY: gang_busy,
    Code.RELEASING: releasing,
}

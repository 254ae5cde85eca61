"""Short ways to write down clusters and groups, and hypothesis strategies for small ones."""

from collections.abc import Iterable

from hypothesis import strategies as st

from shoal.core.decision import Bind, Wait
from shoal.core.event import (
    AnyEvent,
    Card,
    ClaimAsk,
    Group,
    GroupChanged,
    Hold,
    HoldChanged,
    Member,
    NodeChanged,
    Part,
    Placed,
    PodPlaced,
)
from shoal.core.reason import Reason
from shoal.core.state import State
from shoal.core.step import step
from shoal.core.taints import Taint, Toleration
from shoal.units.gpu import Share, parse_share

GIB = 1024
A100 = ("A100-80GB", 80 * GIB)
T4 = ("T4", 15 * GIB)
NOW = 1_000_000


def box(
    name: str = "box1",
    cards: Iterable[tuple[str, int]] = (),
    *,
    cpu: int = 64_000,
    memory: int = 512 * GIB,
    **more: object,
) -> NodeChanged:
    """A node with these (model, MiB) cards."""
    listed = tuple(Card(f"gpu-{at}", model, mib) for at, (model, mib) in enumerate(cards))
    return NodeChanged(name, cpu, memory, listed, **more)


def group(
    name: str,
    gpu: str | Share | None = None,
    *,
    members: int = 1,
    cpu: int = 0,
    memory: int = 0,
    pack: bool = False,
    priority: int = 0,
    created: int = 0,
    **more: object,
) -> Group:
    """A group of like members with one claim each, or none."""
    share = parse_share(gpu) if isinstance(gpu, str) else gpu
    made = tuple(
        Member(
            f"pod-{name}-{rank}",
            f"{name}-{rank}",
            cpu,
            memory,
            (ClaimAsk(f"claim-{name}-{rank}", f"{name}-{rank}", share),) if share else (),
            **more,
        )
        for rank in range(members)
    )
    key = f"default/{name}"
    return Group(key, name, "default", made, members, priority=priority, created=created, pack=pack)


def held(claim: str, node: str, *parts: tuple[int, int, int], **more: object) -> HoldChanged:
    """A claim that holds (card number, MiB, milli) of a node. Its owner is named like it."""
    made = tuple(Part(f"gpu-{card}", mib, milli) for card, mib, milli in parts)
    owner = str(more.pop("owner", claim))
    return HoldChanged(Hold(claim, owner, node, made, **more))


def running(pod: str, node: str, cpu: int, memory: int, **more: object) -> PodPlaced:
    """A bound pod. Its owner is named like it."""
    return PodPlaced(Placed(pod, pod, node, cpu, memory, **more))


def state_of(*events: AnyEvent) -> State:
    """A state that was told these events."""
    state = State()
    step(state, events, NOW)
    return state


def submit(state: State, *groups: Group, now: int = NOW) -> list[Bind | Wait]:
    """Hand in groups in one step."""
    return step(state, [GroupChanged(one) for one in groups], now)


def places(decision: Bind | Wait) -> list[str]:
    """``box1:0,1`` for each member of a bound group."""
    assert isinstance(decision, Bind), decision
    return [
        f"{one.node}:"
        + ",".join(part.card.removeprefix("gpu-") for claim in one.claims for part in claim.parts)
        for one in decision.placements
    ]


def reason(decision: Bind | Wait) -> Reason:
    """Why a group waits."""
    assert isinstance(decision, Wait), decision
    return decision.reason


def numbers(state: State) -> object:
    """All that is held, assumed and left, to be compared."""
    return (
        {name: state.cluster.left(name) for name in state.cluster.nodes},
        dict(state.claims.counted),
        dict(state.pods.counted),
        dict(state.flight_of),
        state.cluster.engine.checkpoint(),
    )


MODELS = (("A100-80GB", 800), ("A100-40GB", 401), ("T4", 151))

shares = st.one_of(
    st.builds(Share, count=st.integers(1, 3), milli=st.just(1000)),
    st.builds(Share, count=st.integers(1, 2), milli=st.sampled_from([1, 250, 333, 500, 666, 999])),
    st.builds(
        Share,
        count=st.integers(1, 2),
        memory_mib=st.sampled_from([1, 75, 151, 200, 401, 500, 800]),
        milli=st.sampled_from([0, 0, 300, 1000]),
    ),
    st.builds(
        Share,
        milli=st.sampled_from([500, 1000]),
        models=st.sampled_from([("A100",), ("T4",), ("T4", "A100-40GB"), ("H100",)]),
    ),
)


TAINTS = (Taint("team", "NoSchedule", "a"), Taint("old", "NoExecute"))
TOLERATIONS = (
    Toleration("team", value="a"),
    Toleration("team", value="b"),
    Toleration("old", "NoExecute"),
    Toleration(effect="NoSchedule"),
)
SILENT = {"closed": "its agent is silent", "unknown": True}


@st.composite
def nodes(draw: st.DrawFn, name: str = "box1") -> NodeChanged:
    """A small node, now and then closed or labelled."""
    return box(
        name,
        draw(st.lists(st.sampled_from(MODELS), max_size=3)),
        cpu=draw(st.integers(0, 4)) * 1000,
        memory=draw(st.integers(0, 4)) * GIB,
        labels=draw(st.sampled_from([(), (), (("zone", "a"),)])),
        **draw(st.sampled_from([{}, {}, {}, {"closed": "cordoned"}, SILENT])),
        containers=draw(st.booleans()),
        taints=draw(st.sampled_from([(), (), TAINTS[:1], TAINTS[1:], TAINTS])),
    )


@st.composite
def clusters(draw: st.DrawFn) -> list[AnyEvent]:
    """Up to three nodes and what is held of them, never more than they have."""
    told: list[AnyEvent] = []
    for at in range(draw(st.integers(1, 3))):
        node = draw(nodes(f"box{at + 1}"))
        told.append(node)
        for card in range(len(node.cards)):
            told.extend(draw(_holds_on(node, card)))
        if draw(st.booleans()):
            cpu = draw(st.integers(0, node.cpu_milli))
            memory = draw(st.integers(0, node.memory_mib))
            ends = draw(st.sampled_from([0, NOW + 5000]))
            told.append(running(f"busy-{node.name}", node.name, cpu, memory, ends_at=ends))
    return told


@st.composite
def _holds_on(draw: st.DrawFn, node: NodeChanged, card: int) -> list[HoldChanged]:
    mib, milli, made = node.cards[card].memory_mib, 1000, []
    for number in range(draw(st.integers(0, 2))):
        taken = draw(st.integers(0, mib)), draw(st.integers(0, milli))
        mib, milli = mib - taken[0], milli - taken[1]
        more = {
            "ends_at": draw(st.sampled_from([0, NOW + 1000, NOW + 9000])),
            "releasing": draw(st.sampled_from([False, False, False, True])),
        }
        made.append(held(f"c-{node.name}-{card}-{number}", node.name, (card, *taken), **more))
    return made


@st.composite
def members(draw: st.DrawFn, name: str, claims: st.SearchStrategy[int]) -> Member:
    """A member with a few claims."""
    asks = tuple(
        ClaimAsk(f"claim-{name}-{at}", f"{name}-{at}", draw(shares)) for at in range(draw(claims))
    )
    return Member(
        f"pod-{name}",
        name,
        draw(st.sampled_from([0, 0, 1000, 2500])),
        draw(st.sampled_from([0, 0, GIB, 3 * GIB])),
        asks,
        node_selector=draw(st.sampled_from([(), (), (), (("zone", "a"),)])),
        pinned=draw(st.sampled_from(["", "", "", "", "box1", "box9"])),
        host_image=draw(st.sampled_from([True, True, True, False])),
        tolerations=tuple(draw(st.lists(st.sampled_from(TOLERATIONS), max_size=2))),
    )


@st.composite
def single_groups(draw: st.DrawFn, name: str = "g") -> Group:
    """One member with up to two claims."""
    made = draw(members(f"{name}-0", st.integers(0, 2)))
    return Group(f"default/{name}", name, "default", (made,))


@st.composite
def like_gangs(draw: st.DrawFn, name: str = "g") -> Group:
    """Up to four members that ask for the same."""
    share = draw(st.none() | shares)
    return group(
        name,
        share,
        members=draw(st.integers(2, 4)),
        cpu=draw(st.sampled_from([0, 0, 1000])),
        memory=draw(st.sampled_from([0, 0, GIB])),
        pack=draw(st.booleans()),
    )


@st.composite
def mixed_gangs(draw: st.DrawFn, name: str = "g") -> Group:
    """Up to three members, each its own."""
    count = draw(st.integers(2, 3))
    made = tuple(draw(members(f"{name}-{at}", st.integers(0, 1))) for at in range(count))
    return Group(f"default/{name}", name, "default", made, count, pack=draw(st.booleans()))


def groups(name: str = "g") -> st.SearchStrategy[Group]:
    """Any small group."""
    return st.one_of(single_groups(name), like_gangs(name), mixed_gangs(name))

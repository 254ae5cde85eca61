"""Small clusters, classes and histories for the engines, as hypothesis strategies."""

from hypothesis import strategies as st

from shoal.core.engine.engine import Engine
from shoal.core.engine.spec import Ask, CardFlag, CardSpec, NodeSpec, Work

MODELS = 3
NODES = 5
CLASSES = 4
GIB = 1024

flags = st.sampled_from([CardFlag(0)] * 6 + [CardFlag.UNHEALTHY, CardFlag.MPS])


@st.composite
def node_specs(draw) -> NodeSpec:
    """Up to five cards, of one kind or mixed, with links or without."""
    card = st.builds(
        CardSpec,
        model=st.integers(0, MODELS - 1),
        mib=st.sampled_from([0, 15 * GIB, 80 * GIB]),
        numa=st.integers(0, 1),
        flags=flags,
    )
    cards = draw(
        st.one_of(
            st.lists(card, max_size=5),
            st.builds(lambda one, count: [one] * count, card, st.integers(1, 5)),
        )
    )
    links = ()
    if draw(st.booleans()):
        count = len(cards)
        widths = draw(st.lists(st.integers(0, 3), min_size=count * count, max_size=count * count))
        links = tuple(
            widths[min(one, other) * count + max(one, other)]
            for one in range(count)
            for other in range(count)
        )
    cpu, memory = (
        draw(st.sampled_from([4000, 16_000, 64_000])),
        draw(st.sampled_from([0, 64 * GIB])),
    )
    return NodeSpec(cpu, memory, tuple(cards), links)


asks = st.one_of(
    st.builds(Ask, cpu=st.sampled_from([0, 500, 4000]), memory=st.sampled_from([0, GIB])),
    st.builds(
        Ask,
        cpu=st.sampled_from([0, 1000, 8000]),
        count=st.just(1),
        milli=st.sampled_from([0, 1, 250, 500, 810, 1000]),
        mib=st.sampled_from([0, 0, 0, 7 * GIB]),
        models=st.sampled_from([None, frozenset({0}), frozenset({1, 2})]),
    ),
    st.builds(
        Ask,
        cpu=st.sampled_from([0, 1000]),
        count=st.integers(1, 4),
        milli=st.sampled_from([250, 500, 1000, 1000]),
        models=st.sampled_from([None, None, frozenset({0, 1})]),
        level=st.booleans(),
        one_numa=st.booleans(),
    ),
)
works = st.lists(st.builds(Work, ask=asks, weight=st.integers(1, 5)), min_size=1, max_size=4)

steps = st.one_of(
    st.tuples(st.just("put"), st.integers(0, NODES - 1), node_specs()),
    st.tuples(st.just("drop"), st.integers(0, NODES - 1)),
    st.tuples(st.just("class"), st.integers(0, CLASSES - 1), asks),
    st.tuples(
        st.just("suit"), st.integers(0, CLASSES - 1), st.integers(0, NODES - 1), st.booleans()
    ),
    st.tuples(
        st.just("place"),
        st.lists(st.integers(0, CLASSES - 1), min_size=1, max_size=4),
        st.booleans(),
        st.sampled_from(["keep", "undo", "commit"]),
    ),
    st.tuples(
        st.just("fill"),
        st.integers(0, CLASSES - 1),
        st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, 3)), max_size=3),
    ),
    st.tuples(st.just("give"), st.integers(0, 20)),
)
histories = st.lists(steps, min_size=1, max_size=15)


def fill(engine: Engine, specs: list[NodeSpec], wanted: list[Ask]) -> None:
    """All nodes and classes are there and suit each other; the later node has the lower rank."""
    for node, spec in enumerate(specs):
        engine.put_node(node, spec, rank=NODES - node)
    for number, ask in enumerate(wanted):
        engine.put_class(number, ask, [True] * NODES)

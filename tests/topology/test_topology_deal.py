"""Gangs in domains: whole or not at all, in the smallest domain, over the fewest below it."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.topology.deal import Counts, Strictness, deal, deal_in
from shoal.core.topology.tree import CLUSTER, Tree, build_tree

LEVELS = ("block", "rack")


def tree_of(places: list[tuple[str, str]]) -> Tree:
    labels = {node: dict(zip(LEVELS, place, strict=True)) for node, place in enumerate(places)}
    return build_tree(LEVELS, labels, {node: f"n{node:02}" for node in labels})


places = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["r1", "r2", "r3"])).map(
        lambda place: (place[0], place[0] + place[1])
    ),
    min_size=1,
    max_size=9,
)
sizes = st.lists(st.integers(0, 4), min_size=9, max_size=9)


@given(places, sizes, st.integers(1, 12), st.integers(0, 1), st.sampled_from(list(Strictness)))
def test_a_gang_is_whole_within_what_its_domain_holds(where, room, members, level, strictness):
    tree = tree_of(where)
    counts = Counts(tree, dict(enumerate(room[: len(where)])))
    dealt = deal(counts, members, level, strictness)
    widest = level if strictness is Strictness.REQUIRED else -1
    holding = [
        path
        for depth in range(1, widest - 1, -1)
        for path in tree.domains(depth)
        if sum(room[node] for node in tree.under(path)) >= members
    ]
    if dealt is None:
        assert not holding
        return
    assert sum(count for _, count in dealt.nodes) == members
    assert all(0 < count <= room[node] for node, count in dealt.nodes)
    assert {node for node, _ in dealt.nodes} <= set(tree.under(dealt.domain))
    narrowest = max(len(path) for path in holding)
    assert len(dealt.domain) == narrowest
    assert counts.of(dealt.domain) == min(
        counts.of(path) for path in holding if len(path) == narrowest
    )


@given(places, sizes, st.integers(1, 12))
def test_the_fewest_nodes_of_a_rack_are_used(where, room, members):
    counts = Counts(tree_of(where), dict(enumerate(room[: len(where)])))
    dealt = deal(counts, members, 1, Strictness.REQUIRED)
    if dealt is None:
        return
    there = list(counts.tree.under(dealt.domain))
    fewest = next(
        count
        for count in range(1, len(there) + 1)
        if any(sum(room[node] for node in some) >= members for some in combinations(there, count))
    )
    assert len(dealt.nodes) == fewest


def test_neighbours_in_the_ring_are_neighbours_in_the_tree():
    where = [("a", "ar1"), ("a", "ar2"), ("a", "ar1"), ("a", "ar2")]
    counts = Counts(tree_of(where), dict.fromkeys(range(4), 1))
    dealt = deal(counts, 4, 0, Strictness.REQUIRED)
    assert [node for node, _ in dealt.nodes] == [0, 2, 1, 3]


def test_a_member_that_is_replaced_returns_to_its_domain_or_waits():
    where = [("a", "ar1"), ("b", "br1")]
    counts = Counts(tree_of(where), {0: 0, 1: 4})
    assert deal_in(counts, ("a", "ar1"), 1) is None
    assert deal_in(counts, ("b", "br1"), 1).nodes == ((1, 1),)


def test_where_no_rack_holds_it_a_preference_climbs_and_a_requirement_waits():
    where = [("a", "ar1"), ("a", "ar2"), ("b", "br1")]
    counts = Counts(tree_of(where), {0: 1, 1: 1, 2: 1})
    assert deal(counts, 2, 1, Strictness.REQUIRED) is None
    assert deal(counts, 2, 1, Strictness.PREFERRED).domain == ("a",)
    assert deal(counts, 3, 1, Strictness.PREFERRED).domain == CLUSTER


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({0: {"block": "a"}}, "node n0 has no label rack: it is in no domain"),
        (
            {0: {"block": "a", "rack": "r"}, 1: {"block": "b", "rack": "r"}},
            "rack=r lies in two domains: in block=a by node n0, in block=b by node n1",
        ),
    ],
)
def test_labels_that_make_no_tree_are_named(labels, told):
    tree = build_tree(LEVELS, labels, {node: f"n{node}" for node in labels})
    assert [each.what for each in tree.misplaced] == [told]


def test_a_node_without_labels_serves_gangs_that_may_go_anywhere():
    tree = build_tree(LEVELS, {0: {}, 1: {"block": "a", "rack": "r"}}, {0: "n0", 1: "n1"})
    counts = Counts(tree, {0: 3, 1: 1})
    assert deal(counts, 3, 0, Strictness.REQUIRED) is None
    assert deal(counts, 3, 0, Strictness.PREFERRED).nodes == ((0, 3),)

"""What is placed, and where: whole groups, best fit, and a place found wherever there is one."""

import msgspec
import pytest
from core_oracle import Oracle
from core_world import (
    A100,
    NOW,
    T4,
    box,
    clusters,
    group,
    groups,
    held,
    numbers,
    places,
    running,
    state_of,
    submit,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.core.check import check
from shoal.core.decision import AnyDecision, Bind
from shoal.core.event import GroupChanged, NodeChanged, Refused
from shoal.core.state import State
from shoal.core.step import step
from shoal.units.gpu import Share

BOX = box(cards=[A100, A100, T4])


@settings(max_examples=250, deadline=None)
@given(clusters(), groups())
def test_a_group_is_placed_if_and_only_if_there_is_a_place(told, asked) -> None:
    state = state_of(*told)
    (decision,) = submit(state, asked)
    assert isinstance(decision, Bind) == Oracle(told).can_place(asked)
    check(state)


@settings(max_examples=150, deadline=None)
@given(clusters(), groups())
def test_what_is_bound_is_whole_and_within_what_was_free(told, asked) -> None:
    state = state_of(*told)
    (decision,) = submit(state, asked)
    if not isinstance(decision, Bind):
        return
    free = Oracle(told)
    assert [one.pod for one in decision.placements] == [one.pod for one in asked.members]
    used = [
        {(one.node, part.card) for claim in one.claims for part in claim.parts}
        for one in decision.placements
    ]
    for member, placed in zip(asked.members, decision.placements, strict=True):
        assert free.suits(free.nodes[placed.node], member)
        free.cpu[placed.node] -= member.cpu_milli
        free.memory[placed.node] -= member.memory_mib
        assert [claim.claim for claim in placed.claims] == [claim.uid for claim in member.claims]
        for ask, claim in zip(member.claims, placed.claims, strict=True):
            assert len({part.card for part in claim.parts}) == ask.share.count
            for part in claim.parts:
                key = (placed.node, int(part.card.removeprefix("gpu-")))
                assert free.fits(key, ask)
                free.mib[key] -= part.memory_mib
                free.milli[key] -= part.milli
                free.users[key] += 1
    if not asked.pack:
        assert sum(map(len, used)) == len(set().union(*used)), "members share a card"


@settings(max_examples=100, deadline=None)
@given(clusters(), groups())
def test_a_refusal_restores_what_was_there_exactly(told, asked) -> None:
    state = state_of(*told)
    before = numbers(state)
    (decision,) = submit(state, asked)
    if isinstance(decision, Bind):
        assert numbers(state) != before
        step(state, [Refused(decision.id, "conflict", NOW + 10)], NOW)
    assert numbers(state) == before


@settings(max_examples=100, deadline=None)
@given(clusters(), groups())
def test_a_trial_leaves_no_trace(told, asked) -> None:
    state = state_of(*told, GroupChanged(asked))
    before = numbers(state)
    shape = state.line[asked.key].shape
    state.placer.place(shape)
    state.placer.place_some(shape)
    assert numbers(state) == before


@settings(max_examples=100, deadline=None)
@given(clusters(), groups("a"), groups("b"), groups("c"), st.randoms(use_true_random=False))
def test_the_same_events_make_the_same_decisions_to_the_byte(told, a, b, c, random) -> None:
    asked = [a, msgspec.structs.replace(b, priority=1), msgspec.structs.replace(c, created=-1)]
    events = [*told, *(GroupChanged(one) for one in asked)]
    once, again, shuffled = State(), State(), State()
    decided = msgspec.json.encode(step(once, events, NOW))
    assert msgspec.json.encode(step(again, events, NOW)) == decided
    random.shuffle(events)
    binds = [one for one in step(shuffled, events, NOW) if isinstance(one, Bind)]
    wanted = msgspec.json.decode(decided, type=list[AnyDecision])
    assert binds == [one for one in wanted if isinstance(one, Bind)]


def test_a_share_takes_the_fullest_card_it_fits_on() -> None:
    state = state_of(BOX, held("a", "box1", (1, 60 * 1024, 750)))
    (decision,) = submit(state, group("small", "1/4"))
    assert places(decision) == ["box1:1"]


def test_equal_cards_are_taken_in_their_order() -> None:
    (decision,) = submit(state_of(BOX), group("digits", "1/2"))
    assert places(decision) == ["box1:0"]


def test_a_whole_card_is_one_that_nobody_uses_not_even_for_memory_alone() -> None:
    state = state_of(box(cards=[A100, A100]), held("a", "box1", (0, 1, 0)))
    (decision,) = submit(state, group("whole", "1"))
    assert places(decision) == ["box1:1"]


def test_a_memory_share_holds_no_compute() -> None:
    state = state_of(box(cards=[A100]), held("a", "box1", (0, 1024, 1000)))
    (decision,) = submit(state, group("notebook", "10Gi"))
    assert places(decision) == ["box1:0"]


def test_n_times_a_part_always_fills_a_card_of_odd_size() -> None:
    state = state_of(box(cards=[("odd", 15109)]))
    decisions = submit(state, *(group(f"third-{at}", "1/3") for at in range(4)))
    assert [type(one).__name__ for one in decisions] == ["Bind"] * 3 + ["Wait"]


def test_members_of_a_gang_get_different_cards() -> None:
    (decision,) = submit(state_of(BOX), group("ring", "1/4", members=3))
    assert sorted(places(decision)) == ["box1:0", "box1:1", "box1:2"]


def test_a_packed_gang_shares_cards() -> None:
    (decision,) = submit(state_of(BOX), group("ring", "1/4", members=4, pack=True))
    assert places(decision) == ["box1:0"] * 4


def test_a_packed_gang_of_many_cards_each_leaves_none_stranded() -> None:
    half = (0, 400, 500)
    state = state_of(
        box(cards=[("A", 800)] * 3),
        held("b", "box1", (1, *half[1:])),
        held("c", "box1", (2, *half[1:])),
    )
    (decision,) = submit(state, group("pairs", "2x1/2", members=2, pack=True))
    assert sorted(places(decision)) == ["box1:0,1", "box1:0,2"]


def test_a_gang_spreads_over_nodes_when_one_is_not_enough() -> None:
    state = state_of(box("box1", [A100, A100]), box("box2", [A100, A100]))
    (decision,) = submit(state, group("wide", "1", members=3))
    assert sorted(places(decision)) == ["box1:0", "box1:1", "box2:0"]


def test_cards_of_one_claim_are_never_split_over_nodes() -> None:
    state = state_of(box("box1", [A100]), box("box2", [A100]))
    (decision,) = submit(state, group("two", "2"))
    assert not isinstance(decision, Bind)


def test_the_fuller_node_is_taken_first() -> None:
    state = state_of(
        box("box1", [A100, A100]),
        box("box2", [A100, A100]),
        held("a", "box2", (0, 80 * 1024, 1000)),
    )
    (decision,) = submit(state, group("one", "1"))
    assert places(decision) == ["box2:1"]


def test_a_pinned_member_goes_where_its_claim_is_or_nowhere() -> None:
    state = state_of(box("box1"), box("box2", cpu=1000), running("p", "box2", 1000, 0))
    free = group("free", cpu=1000, pinned="box1")
    stuck = group("stuck", cpu=1000, pinned="box2")
    bound, waits = submit(state, free, stuck)
    assert places(bound) == ["box1:"]
    assert not isinstance(waits, Bind)


def test_a_closed_node_takes_nothing() -> None:
    state = state_of(box(cards=[A100], closed="cordoned"))
    (decision,) = submit(state, group("one", "1"))
    assert not isinstance(decision, Bind)


def test_a_node_that_shrank_below_what_it_holds_has_nothing_free() -> None:
    state = state_of(
        box(cards=[A100]), held("a", "box1", (0, 60 * 1024, 750)), running("p", "box1", 9, 9)
    )
    step(state, [box(cards=[("A100-80GB", 40 * 1024)], cpu=4)], NOW)
    check(state)
    decisions = submit(state, group("memory", "1Gi"), group("cpu", cpu=1))
    assert not any(isinstance(one, Bind) for one in decisions)


def test_nodes_may_come_and_go_between_placements() -> None:
    state = state_of(box("box1", [A100]), box("box2", [A100]))
    submit(state, group("first", "1/2"))
    events = [NodeChanged("box1", 0, 0, closed="not ready"), box("box3", [A100])]
    step(state, events, NOW)
    (decision,) = submit(state, group("second", "1", members=2))
    assert sorted(places(decision)) == ["box2:0", "box3:0"]


@pytest.mark.parametrize("many", [3, 1000, 2**63 - 1])
def test_more_cards_than_there_are_wait_and_keep_nobody_up(many) -> None:
    state = state_of(BOX)
    asked = group("all", Share(count=many, milli=1000, models=("A100-80GB",)))
    (decision,) = submit(state, asked)
    assert not isinstance(decision, Bind)
    (decision,) = submit(state, group("huge", cpu=2**63, memory=2**63))
    assert not isinstance(decision, Bind)
    (decision,) = submit(state, group("small", "1/4"))
    assert isinstance(decision, Bind)

"""What must be true of every run, whatever the trace, the policy and the seed."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sim.sim_world import quickly_prepared, small_trace, traces

from shoal.core.engine.policy import Policy
from shoal.core.engine.spec import Ask, cards_of
from shoal.sim.classes import Typical, classes_of, never, work_of
from shoal.sim.fragment import Fragmentation
from shoal.sim.online import teach, vague_work
from shoal.sim.prepare import prepare
from shoal.sim.record import Record, record
from shoal.sim.run import NEVER, Run, run
from shoal.sim.trace import Trace, TraceNode, TracePod

policies = st.sampled_from(list(Policy))
seeds = st.integers(0, 1000)


def record_of(trace: Trace, policy: Policy, load: int, seed: int) -> Record:
    done = run(trace, quickly_prepared(trace, policy), load, seed)
    works, typical = work_of(trace, Typical.ALL), work_of(trace, Typical.PUBLISHED)
    return record(trace, done, load, Fragmentation(works, typical, len(trace.models)))


def run_of(trace: Trace, policy: Policy, seed: int) -> Run:
    return run(trace, quickly_prepared(trace, policy), 1300, seed)


def rows_of(trace: Trace, done: Run):
    return zip(done.arrivals.pods, done.places, strict=True)


@settings(deadline=None, max_examples=50)
@given(trace=traces(), policy=policies, seed=seeds)
def test_no_node_holds_more_than_it_has(trace: Trace, policy: Policy, seed: int) -> None:
    done = run_of(trace, policy, seed)
    cpu, memory, milli = Counter(), Counter(), Counter()
    for at, place in rows_of(trace, done):
        if place is None:
            continue
        pod, node = trace.pods[at], trace.nodes[place.node]
        cards = cards_of(place.cards)
        assert len(cards) == pod.cards
        assert not pod.cards or not pod.models or node.model in pod.models
        cpu[place.node] += pod.cpu
        memory[place.node] += pod.memory
        milli.update({(place.node, card): pod.milli for card in cards})
    for at, node in enumerate(trace.nodes):
        assert cpu[at] <= node.cpu
        assert memory[at] <= node.memory
        assert all(milli[at, card] <= 1000 for card in range(node.cards))
    assert all(card < trace.nodes[node].cards for node, card in milli)


@settings(deadline=None, max_examples=50)
@given(trace=traces(), policy=policies, seed=seeds)
def test_a_seed_gives_the_same_run_again(trace: Trace, policy: Policy, seed: int) -> None:
    one, other = (run_of(trace, policy, seed) for _ in range(2))
    assert (one.arrivals, one.places, one.refusals) == (
        other.arrivals,
        other.places,
        other.refusals,
    )


@settings(deadline=None, max_examples=50)
@given(trace=traces(), policy=policies, seed=seeds)
def test_whatever_arrives_is_placed_or_refused_for_a_reason(
    trace: Trace, policy: Policy, seed: int
) -> None:
    done = run_of(trace, policy, seed)
    found = record_of(trace, policy, 1300, seed)
    assert found.placed + sum(found.refused.values()) == len(done.arrivals.pods)
    assert sum(found.arrived.values()) == len(done.arrivals.pods)
    assert sum(found.held.values()) == found.placed
    hopeless = never(trace, (classes := classes_of(trace.pods)).asks)
    told = {done.arrivals.pods[at] for at, reason in done.refusals.items() if reason == NEVER}
    assert told == {pod for pod in set(done.arrivals.pods) if classes.numbers[pod] in hopeless}


@settings(deadline=None, max_examples=50)
@given(trace=traces(), policy=policies, seed=seeds, load=st.sampled_from([500, 1000, 1300]))
def test_curves_go_to_the_load_and_allocation_never_falls(
    trace: Trace, policy: Policy, seed: int, load: int
) -> None:
    found = record_of(trace, policy, load, seed)
    curves = [found.allocation, found.fragmentation, *found.by_kind.values()]
    assert {len(curve) for curve in curves} == {load // 10 + 1}
    assert list(found.allocation) == sorted(found.allocation)
    for idle, unusable in zip(found.allocation, found.fragmentation, strict=True):
        assert 0 <= unusable <= 100 - idle + 0.01


def test_nothing_is_refused_while_there_is_room() -> None:
    found = record_of(small_trace(), Policy.BINPACK, 400, 42)
    assert found.refused == {}
    assert found.allocation[40] == pytest.approx(35, abs=5)


def test_what_is_refused_says_what_most_nodes_lack() -> None:
    """Three nodes: a pod takes all CPU of one and half of its card."""
    trace = Trace(
        "tight",
        ("A",),
        tuple(TraceNode(f"n-{at}", 4000, 1024, 1, 0) for at in range(3)),
        (TracePod("p", 4000, 128, 1, 500),),
    )
    found = record_of(trace, Policy.BINPACK, 2000, 42)
    assert found.refused == {"cpu": 9}
    assert found.allocation[200] == 50
    assert found.fragmentation[200] == 50


def test_a_value_is_the_mean_over_the_arrivals_that_round_to_it() -> None:
    """Ten cards, shares of 3 milli-card: the first 16 round to nothing, the next 33 to 1 %."""
    trace = Trace(
        "fine", ("A",), (TraceNode("n", 10**6, 10**6, 10, 0),), (TracePod("p", 1, 1, 1, 3),)
    )
    found = record_of(trace, Policy.BINPACK, 500, 1)
    assert found.allocation[:3] == (0.26, 0.99, 2.0)
    assert found.allocation[49] == pytest.approx(49, abs=0.01)


def test_where_nothing_arrives_a_value_stays_what_it_was() -> None:
    """One pod is a quarter of all cards."""
    trace = Trace(
        "coarse", ("A",), (TraceNode("n", 10**6, 10**6, 4, 0),), (TracePod("p", 1, 1, 1, 1000),)
    )
    found = record_of(trace, Policy.BINPACK, 500, 1)
    assert set(found.allocation[:25]) == {0.0}
    assert set(found.allocation[25:50]) == {25.0}
    assert found.allocation[50] == 50.0


def test_what_is_learnt_is_learnt_once_and_the_same_each_time() -> None:
    trace = small_trace()
    one, other = (prepare(trace, Policy.IDLE_VALUE) for _ in range(2))
    assert one.worth
    assert one.worth == other.worth
    assert prepare(trace, Policy.BEST_FIT).worth is None
    learnt = run(trace, one, 1300, 42)
    assert learnt.places == run(trace, other, 1300, 42).places


def test_online_a_policy_is_told_what_has_arrived_and_no_more() -> None:
    trace = small_trace()
    vague = [work.ask for work in vague_work(trace)]
    told: list[list[Ask]] = []

    class Listening:
        def set_work(self, works) -> None:
            told.append([work.ask for work in works])

        def set_worth(self, worth) -> None:
            raise AssertionError("too few have arrived to learn from")

    arrived = [Ask(7, 0, 1, 333), Ask(7, 99, 1, 333)]
    teach(Listening(), trace, Policy.IDLE_VALUE, arrived)
    assert told == [[*vague, Ask(7, 0, 1, 333)]]


def test_online_the_same_arrivals_give_the_same_run() -> None:
    trace = small_trace()
    prepared = prepare(trace, Policy.IDLE_VALUE, online=True)
    assert prepared.worth is None
    one, other = (run(trace, prepared, 12_000, 42) for _ in range(2))
    assert len(one.places) > 100
    assert one.places == other.places

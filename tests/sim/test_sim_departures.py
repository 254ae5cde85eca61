"""Runs in which pods end: who starts when, and what is told of it."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sim.sim_world import quickly_prepared, small_trace, traces

from shoal.core.engine.policy import Policy
from shoal.core.engine.spec import cards_of
from shoal.sim.departures import Stays, run_with_departures
from shoal.sim.errors import TraceError
from shoal.sim.many import run_seeds_with_departures
from shoal.sim.stays import StayRecord, stay_record
from shoal.sim.timed import as_recorded, stream
from shoal.sim.trace import Trace, TraceNode, TracePod

policies = st.sampled_from(list(Policy))
seeds = st.integers(0, 1000)


@st.composite
def timed_traces(draw) -> Trace:
    trace = draw(traces())
    times = st.tuples(st.integers(0, 20), st.one_of(st.none(), st.integers(0, 15)))
    return msgspec.structs.replace(
        trace,
        pods=tuple(
            msgspec.structs.replace(pod, arrives=arrives, lives=lives)
            for pod, (arrives, lives) in zip(
                trace.pods, (draw(times) for _ in trace.pods), strict=True
            )
        ),
    )


def one_card(*pods: tuple[int, int | None, str]) -> Trace:
    """One card, and pods that want all of it: (when, how long, whose)."""
    return Trace(
        "one card",
        ("A",),
        (TraceNode("n", 1000, 1024, 1, 0),),
        tuple(
            TracePod(f"p-{at}", 1000, 1024, 1, 1000, (), owner, arrives, lives)
            for at, (arrives, lives, owner) in enumerate(pods)
        ),
    )


def stays_of(trace: Trace, policy: Policy = Policy.BINPACK, seed: int = 42) -> Stays:
    return run_with_departures(trace, quickly_prepared(trace, policy), as_recorded(trace, seed))


def record_of(trace: Trace) -> StayRecord:
    (found,) = run_seeds_with_departures(trace, Policy.BINPACK, None, [42])
    return found


def running(trace: Trace, stays: Stays, moment: int):
    """(pod, place) of what runs at a moment."""
    for coming, start, place in zip(stays.timed.comings, stays.started, stays.places, strict=True):
        ends = None if start is None or coming.lives is None else start + coming.lives
        if start is not None and start <= moment and (ends is None or moment < ends):
            yield trace.pods[coming.pod], place


@settings(deadline=None, max_examples=50)
@given(trace=timed_traces(), policy=policies, seed=seeds)
def test_no_node_ever_holds_more_than_it_has(trace: Trace, policy: Policy, seed: int) -> None:
    stays = stays_of(trace, policy, seed)
    for moment in {start for start in stays.started if start is not None}:
        cpu, memory, milli = Counter(), Counter(), Counter()
        for pod, place in running(trace, stays, moment):
            cpu[place.node] += pod.cpu
            memory[place.node] += pod.memory
            milli.update({(place.node, card): pod.milli for card in cards_of(place.cards)})
        assert all(cpu[at] <= node.cpu for at, node in enumerate(trace.nodes))
        assert all(memory[at] <= node.memory for at, node in enumerate(trace.nodes))
        assert all(used <= 1000 for used in milli.values())


@settings(deadline=None, max_examples=50)
@given(trace=timed_traces(), policy=policies, seed=seeds)
def test_nobody_waits_while_there_is_room_and_nobody_is_overtaken_by_his_like(
    trace: Trace, policy: Policy, seed: int
) -> None:
    stays = stays_of(trace, policy, seed)
    by_class: dict[object, list[int]] = {}
    for at, (coming, start) in enumerate(zip(stays.timed.comings, stays.started, strict=True)):
        assert start is None or start >= coming.at
        if at not in stays.hopeless:
            last = stays.timed.comings[-1].at + 1
            by_class.setdefault(trace.pods[coming.pod].ask, []).append(
                last if start is None else start
            )
            if start is None:
                assert not fits(trace, stays, trace.pods[coming.pod], last - 1)
    for starts in by_class.values():
        assert starts == sorted(starts)


def fits(trace: Trace, stays: Stays, pod: TracePod, moment: int) -> bool:
    held = list(running(trace, stays, moment))
    for at, node in enumerate(trace.nodes):
        there = [(other, place) for other, place in held if place.node == at]
        free = [
            1000 - sum(other.milli for other, place in there if place.cards >> card & 1)
            for card in range(node.cards)
        ]
        if (
            node.cpu - sum(other.cpu for other, _ in there) >= pod.cpu
            and node.memory - sum(other.memory for other, _ in there) >= pod.memory
            and (not pod.cards or not pod.models or node.model in pod.models)
            and sum(each >= pod.milli for each in free) >= pod.cards
        ):
            return True
    return False


@settings(deadline=None, max_examples=50)
@given(trace=timed_traces(), policy=policies, seed=seeds)
def test_whatever_comes_starts_or_is_told_and_no_more_is_used_than_is_there(
    trace: Trace, policy: Policy, seed: int
) -> None:
    stays = stays_of(trace, policy, seed)
    assert stays.started == stays_of(trace, policy, seed).started
    found = stay_record(trace, stays)
    assert found.placed + sum(found.refused.values()) == len(trace.pods)
    assert 0 <= found.utilisation <= 100
    for at in range(len(found.moments)):
        assert 0 <= sum(curve[at] for curve in found.in_use.values()) <= trace.capacity / 1000


def test_who_finds_no_place_starts_when_something_ends() -> None:
    trace = one_card((0, 10, "a"), (4, 5, "b"), (20, 1, "a"))
    assert stays_of(trace).started == (0, 10_000, 20_000)
    found = record_of(trace)
    assert found.utilisation == 75
    assert found.wanted == 75
    assert (found.waits.mean, found.waits.p50, found.waits.most) == (2, 0, 6)
    assert found.refused == {}


def test_who_waits_to_the_end_counts_as_waiting_so_long() -> None:
    found = record_of(one_card((0, None, "a"), (4, 5, "b"), (20, 1, "a")))
    assert (found.placed, found.refused) == (1, {"waiting": 2})
    assert (found.utilisation, found.waits.most) == (100, 16)


def test_cards_are_told_by_owner_over_time() -> None:
    found = record_of(one_card((0, 10, "a"), (4, 5, "b"), (20, 1, "a")))
    assert list(found.in_use) == ["a", "b"]
    half = len(found.moments) // 2
    assert set(found.in_use["a"][:half]) == {1.0}
    assert set(found.in_use["b"][half : half + half // 2]) == {1.0}
    assert set(found.in_use["b"][half + half // 2 :]) == {0.0}
    assert found.moments[half] == 10


def test_a_pod_that_does_not_fit_keeps_no_other_waiting() -> None:
    node = TraceNode("n", 8000, 8192, 2, 0)
    pods = (
        TracePod("long", 1, 1, 1, 1000, arrives=0, lives=100),
        TracePod("short", 1, 1, 1, 1000, arrives=0, lives=5),
        TracePod("both", 1, 1, 2, 1000, arrives=1, lives=5),
        TracePod("one", 1, 1, 1, 1000, arrives=2, lives=5),
        TracePod("last", 1, 1, 0, 0, arrives=30, lives=5),
    )
    assert stays_of(Trace("t", ("A",), (node,), pods)).started == (0, 0, None, 5000, 30_000)


def test_a_stream_asks_for_its_load_from_the_start_on() -> None:
    trace = small_trace()
    pods = tuple(
        msgspec.structs.replace(pod, arrives=0, lives=5 + 40 * (at % 3))
        for at, pod in enumerate(trace.pods)
    )
    trace = msgspec.structs.replace(trace, pods=pods * 20)
    wanted, prepared = [], quickly_prepared(trace, Policy.BINPACK)
    for seed in range(20):
        timed = stream(trace, 500, seed)
        first = [coming for coming in timed.comings if coming.at == 0]
        assert 10_000 <= sum(trace.pods[coming.pod].asked for coming in first) <= 14_000
        assert len(timed.comings) - len(first) == pytest.approx(len(trace.pods), abs=2)
        assert [coming.at for coming in timed.comings] == sorted(
            coming.at for coming in timed.comings
        )
        wanted.append(stay_record(trace, run_with_departures(trace, prepared, timed)).wanted)
    assert sum(wanted) / len(wanted) == pytest.approx(50, abs=4)


def test_a_stream_is_the_same_again_for_its_seed() -> None:
    trace = one_card((0, 10, "a"), (4, 5, "b"))
    assert stream(trace, 900, 7) == stream(trace, 900, 7)
    assert stream(trace, 900, 7) != stream(trace, 900, 8)


def test_without_times_nothing_can_end() -> None:
    trace = small_trace()
    for timing in (lambda: as_recorded(trace, 1), lambda: stream(trace, 1000, 1)):
        with pytest.raises(TraceError, match="does not tell when its pods came and ended"):
            timing()

"""Who arrives in which order."""

from hypothesis import given
from hypothesis import strategies as st
from tests.sim.sim_world import small_trace, traces

from shoal.sim.arrivals import arrivals_of
from shoal.sim.trace import Trace
from shoal.units.gpu import WHOLE

seeds = st.integers(0, 2**32)


def arrived(trace: Trace, pods: tuple[int, ...]) -> int:
    return sum(trace.pods[pod].asked for pod in pods)


@given(trace=traces(), seed=seeds, load=st.integers(10, 3000))
def test_arrivals_ask_for_about_the_load(trace: Trace, seed: int, load: int) -> None:
    target = trace.capacity * load // 1000
    found = arrived(trace, arrivals_of(trace, load, seed).pods)
    largest = max(pod.asked for pod in trace.pods)
    assert target - largest < found <= target + largest - WHOLE * (largest > WHOLE)


def test_a_clone_that_goes_beyond_by_its_other_cards_still_arrives() -> None:
    trace = small_trace()
    over = [
        arrived(trace, arrivals_of(trace, 1300, seed).pods) - trace.capacity * 1300 // 1000
        for seed in range(50)
    ]
    assert 0 < max(over) <= 3000


def test_every_pod_of_the_trace_comes_before_the_first_clone() -> None:
    trace = small_trace()
    count = len(trace.pods)
    pods = arrivals_of(trace, 2000, 42).pods
    assert sorted(pods[:count]) == list(range(count))
    assert pods[:count] != tuple(range(count))
    assert len(pods) > count


def test_of_more_than_the_load_pods_are_left_out_and_none_comes_twice() -> None:
    trace = small_trace()
    pods = arrivals_of(trace, 300, 42).pods
    assert 0 < arrived(trace, pods) <= trace.capacity * 300 // 1000
    assert len(set(pods)) == len(pods)


@given(trace=traces(), seed=seeds)
def test_a_seed_gives_the_same_order_again_and_another_one_another(trace: Trace, seed: int) -> None:
    assert arrivals_of(trace, 1300, seed) == arrivals_of(trace, 1300, seed)
    assert sorted(arrivals_of(trace, 1300, seed).ranks) == list(range(len(trace.nodes)))


def test_seeds_differ() -> None:
    trace = small_trace()
    assert len({arrivals_of(trace, 1300, seed).pods for seed in range(10)}) == 10
    assert len({arrivals_of(trace, 1300, seed).ranks for seed in range(10)}) > 5

"""Classes of requests, and the work that is expected."""

from shoal.sim.classes import Typical, classes_of, kinds_of, never, work_of
from shoal.sim.trace import Trace, TraceNode, TracePod

NODE = TraceNode("n", 8000, 65_536, 4, 0)


def trace_of(*pods: TracePod) -> Trace:
    return Trace("t", ("A", "B"), (NODE, TraceNode("m", 8000, 65_536, 2, 1)), pods)


def times(count: int, pod: TracePod) -> list[TracePod]:
    return [pod] * count


def test_pods_that_ask_alike_are_one_class() -> None:
    one, other = TracePod("a", 1000, 512, 1, 500), TracePod("b", 1000, 512, 1, 500)
    classes = classes_of([one, TracePod("c", 1000, 513, 1, 500), other])
    assert classes.numbers == (0, 1, 0)
    assert classes.asks == (one.ask, TracePod("", 1000, 513, 1, 500).ask)


def test_what_no_empty_node_can_hold_is_never_placed() -> None:
    fits = TracePod("fits", 8000, 65_536, 4, 1000, (0,))
    too_large = [
        TracePod("cpu", 8001, 0, 0, 0),
        TracePod("memory", 0, 65_537, 0, 0),
        TracePod("cards", 0, 0, 5, 1000),
        TracePod("cards of B", 0, 0, 4, 1000, (1,)),
    ]
    trace = trace_of(fits, *too_large)
    classes = classes_of(trace.pods)
    assert never(trace, classes.asks) == {1, 2, 3, 4}


def test_the_models_of_a_pod_without_cards_do_not_matter() -> None:
    trace = Trace("t", ("A",), (TraceNode("n", 1000, 10, 0, -1),), (TracePod("p", 1, 1, 0, 0),))
    assert not never(trace, classes_of(trace.pods).asks)


def test_all_work_is_every_class_but_for_its_memory() -> None:
    trace = trace_of(
        TracePod("a", 1000, 512, 1, 500),
        TracePod("b", 1000, 1024, 1, 500),
        TracePod("c", 2000, 1, 0, 0),
    )
    works = work_of(trace, Typical.ALL)
    assert [(work.ask.cpu, work.weight) for work in works] == [(1000, 2), (2000, 1)]


def test_the_published_cut_ends_at_the_first_class_that_covers_95_percent() -> None:
    pods = [
        *times(60, TracePod("a", 1000, 1, 1, 500)),
        *times(35, TracePod("b", 2000, 1, 1, 1000)),
        *times(5, TracePod("c", 9000, 1, 8, 1000)),
    ]
    assert [work.weight for work in work_of(trace_of(*pods), Typical.PUBLISHED)] == [60, 35]
    assert [work.weight for work in work_of(trace_of(*pods[1:]), Typical.PUBLISHED)] == [59, 35, 5]


def test_of_equally_frequent_classes_the_published_cut_takes_the_larger_first() -> None:
    pods = [
        *times(90, TracePod("a", 1000, 1, 1, 500)),
        *times(5, TracePod("b", 2000, 1, 1, 300)),
        *times(5, TracePod("c", 2000, 1, 1, 400)),
    ]
    assert [w.ask.milli for w in work_of(trace_of(*pods), Typical.PUBLISHED)] == [500, 400]


def test_models_are_cut_as_they_are_written_and_expected_as_a_set() -> None:
    pods = [
        *times(50, TracePod("a", 1000, 1, 1, 500, (0, 1, 1))),
        *times(50, TracePod("b", 1000, 1, 1, 500, (0, 1))),
    ]
    (work,) = work_of(trace_of(*pods), Typical.PUBLISHED)
    assert (work.ask.models, work.weight) == (frozenset({0, 1}), 100)


def test_kinds_go_from_the_least_to_the_most() -> None:
    shapes = [(8, 1000), (0, 0), (1, 1000), (2, 1000), (1, 460)]
    asks = [TracePod("p", 1, 1, *shape).ask for shape in shapes]
    assert kinds_of(asks) == ["no card", "part of a card", "1 card", "2 cards", "8 cards"]

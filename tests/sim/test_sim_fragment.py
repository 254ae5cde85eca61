"""Fragmentation is what its definition says, worked out the long way."""

from hypothesis import given
from hypothesis import strategies as st
from tests.sim.sim_world import traces

from shoal.core.engine.spec import Work
from shoal.sim.classes import Typical, kind_of, work_of
from shoal.sim.fragment import Fragmentation
from shoal.sim.trace import Trace

residues = st.lists(st.sampled_from([0, 190, 250, 460, 540, 1000]), max_size=4).map(tuple)


def unusable(work: Work, model: int, cpu: int, left: tuple[int, ...]) -> int:
    ask = work.ask
    enough = sum(each >= ask.milli for each in left) >= ask.count
    if not ask.count or cpu < ask.cpu or not ask.allows(model) or not enough:
        return sum(left)
    return sum(each for each in left if each < ask.milli)


@given(
    trace=traces(), model=st.integers(0, 2), cpu=st.sampled_from([0, 499, 500, 4000]), left=residues
)
def test_it_is_the_mean_over_the_expected_work(
    trace: Trace, model: int, cpu: int, left: tuple[int, ...]
) -> None:
    works, typical = work_of(trace, Typical.ALL), work_of(trace, Typical.PUBLISHED)
    fragmentation = Fragmentation(works, typical, len(trace.models))
    in_all, *by_kind = fragmentation.of(model, cpu, left)
    assert in_all == sum(w.weight * unusable(w, model, cpu, left) for w in typical)
    assert fragmentation.weight == sum(w.weight for w in typical)
    for (kind, weight), part in zip(fragmentation.kinds.items(), by_kind, strict=True):
        of_kind = [w for w in works if kind_of(w.ask) == kind]
        assert part == sum(w.weight * unusable(w, model, cpu, left) for w in of_kind)
        assert weight == sum(w.weight for w in of_kind)

"""The learnt table of worths: what it says, and that it says it each time."""

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.core.engine.learn import learn, tabulate
from shoal.core.engine.spec import Ask, CardSpec, NodeSpec, Work
from shoal.core.engine.worth import WORTH_CELLS, WORTH_COLUMNS, WORTH_MILLI, WORTH_UNIT

NODES = [NodeSpec(64_000, 0, (CardSpec(0),) * 4) for _ in range(20)]
MIX = [Work(Ask(cpu=4000, count=1, milli=700), 1), Work(Ask(cpu=4000, count=1, milli=300), 1)]
SLICE = 16_000 // 500


def worth(table: list[int], milli: int, column: int) -> float:
    return table[milli // WORTH_MILLI * WORTH_COLUMNS + column] / WORTH_UNIT


def test_what_nothing_fits_into_stays_idle_and_what_something_fits_into_does_not():
    table = learn(NODES, 1, MIX, seed=1)
    assert worth(table, 100, SLICE) == 100
    assert worth(table, 300, SLICE) < 10
    assert worth(table, 400, SLICE) > 90  # a share of 300 leaves 100


def test_it_is_the_same_each_time():
    assert learn(NODES, 1, MIX, seed=3) == learn(NODES, 1, MIX, seed=3)


cells = st.lists(
    st.tuples(st.integers(0, WORTH_CELLS - 1), st.integers(1, 9), st.integers(0, 1000)), max_size=60
)


@settings(deadline=None, max_examples=50)
@given(cells)
def test_more_cpu_never_leaves_more_idle_and_no_more_is_idle_than_there_is(visited):
    sums, counts = [0.0] * WORTH_CELLS, [0.0] * WORTH_CELLS
    for cell, times, left in visited:
        sums[cell] += times * left
        counts[cell] += times
    table = tabulate(sums, counts)
    for row in range(WORTH_CELLS // WORTH_COLUMNS):
        of_row = table[row * WORTH_COLUMNS : (row + 1) * WORTH_COLUMNS]
        assert all(0 <= each <= row * WORTH_MILLI * WORTH_UNIT for each in of_row)
        assert of_row == sorted(of_row, reverse=True)

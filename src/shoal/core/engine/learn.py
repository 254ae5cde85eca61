"""Learn: a table of worths from runs of the work that is expected, each better than the last.

Each round runs the mix on the empty cluster with the table so far, and looks what became of every
card in every state that it went through: the mean of what was left is what a card in that state
is expected to leave idle. Off the placement path: seconds, on an engine of its own.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import Final

from shoal.core.engine.filled import filled
from shoal.core.engine.policy import Policy
from shoal.core.engine.spec import NodeSpec, Work
from shoal.core.engine.worth import WORTH_COLUMNS, WORTH_MILLI, WORTH_ROWS, WORTH_UNIT
from shoal.units.gpu import WHOLE

ROUNDS: Final = 14
_LOAD_PERCENT: Final = 130
"""Of all cards is asked for in a run, so that what is left at its end could not be used."""
_LEAST_NEWS: Final = 0.15
"""How much the last run counts at least beside all before."""
_KERNEL: Final = (0.05, 0.2, 0.5, 0.2, 0.05)
"""Neighbouring slices of CPU tell of each other."""
_SEEN: Final = 1e-9

Row = list[float]


def learn(nodes: Sequence[NodeSpec], models: int, works: Sequence[Work], seed: int) -> list[int]:
    """The table for these nodes and this mix, for ``Engine.set_worth``. Deterministic."""
    random = Random(seed)  # noqa: S311 - to be repeated, not to be secret
    asks = [work.ask for work in works]
    table: list[int] | None = None
    sums = counts = [0.0] * (WORTH_ROWS * WORTH_COLUMNS)
    for number in range(ROUNDS):
        engine = filled(nodes, models, asks, policy=Policy.IDLE_VALUE, works=works, worth=table)
        engine.run_noted(_arrivals(nodes, works, random))
        news = max(1 / (number + 1.5), _LEAST_NEWS) if number else 1.0
        new_sums, new_counts = engine.visits()
        sums = [old + (new - old) * news for old, new in zip(sums, new_sums, strict=True)]
        counts = [old + (new - old) * news for old, new in zip(counts, new_counts, strict=True)]
        table = tabulate(sums, counts)
    assert table is not None
    return table


def tabulate(sums: Sequence[float], counts: Sequence[float]) -> list[int]:
    """What is left in the mean, smooth and never more with more CPU; in 1/64 milli-card."""
    rows: list[Row | None] = [[0.0] * WORTH_COLUMNS]
    for row in range(1, WORTH_ROWS):
        cells = slice(row * WORTH_COLUMNS, (row + 1) * WORTH_COLUMNS)
        rows.append(_row(_smooth(sums[cells]), _smooth(counts[cells]), row * WORTH_MILLI))
    return [round(worth * WORTH_UNIT) for row in _bridged(rows) for worth in row]


def _arrivals(nodes: Sequence[NodeSpec], works: Sequence[Work], random: Random) -> list[int]:
    most = sum(len(spec.cards) for spec in nodes) * WHOLE * _LOAD_PERCENT // 100
    asked = [work.ask.count * work.ask.milli for work in works]
    bounds = list(accumulate(work.weight for work in works))
    arrived, total = [], 0
    while total < most:
        number = random.choices(range(len(works)), cum_weights=bounds)[0]
        arrived.append(number)
        total += asked[number]
    return arrived


def _smooth(row: Sequence[float]) -> Row:
    padded = [row[0], row[0], *row, row[-1], row[-1]]
    return [
        sum(part * padded[at + away] for away, part in enumerate(_KERNEL)) for at in range(len(row))
    ]


def _row(sums: Row, counts: Row, most: int) -> Row | None:
    """The worths of one residue; None if no card ever had it."""
    seen = [at for at, count in enumerate(counts) if count > _SEEN]
    if not seen:
        return None
    means = _falling([sums[at] / counts[at] for at in seen], [counts[at] for at in seen])
    return [min(worth, most) for worth in _between(dict(zip(seen, means, strict=True)))]


def _falling(values: Row, weights: Row) -> Row:
    """The nearest values that never rise, by pooling neighbours that do (Ayer et al., 1955)."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        pool = (value, weight, 1)
        while pools and pools[-1][0] < pool[0]:
            before = pools.pop()
            both = before[1] + pool[1]
            mean = (before[0] * before[1] + pool[0] * pool[1]) / both
            pool = (mean, both, before[2] + pool[2])
        pools.append(pool)
    return [value for value, _, length in pools for _ in range(length)]


def _between(known: dict[int, float]) -> Iterator[float]:
    """A value for every column: straight lines between those known, level beyond them."""
    at = sorted(known)
    right = 0
    for column in range(WORTH_COLUMNS):
        while right < len(at) and at[right] < column:
            right += 1
        low, high = at[max(right - 1, 0)], at[min(right, len(at) - 1)]
        if column <= low or low == high:
            yield known[low if column <= low else high]
        else:
            yield known[low] + (known[high] - known[low]) * (column - low) / (high - low)


def _bridged(rows: list[Row | None]) -> Iterator[Row]:
    """Rows that nobody saw lie between their neighbours; above all others more is just idle."""
    for at, row in enumerate(rows):
        if row is not None:
            yield row
            continue
        low = next(below for below in range(at - 1, -1, -1) if rows[below] is not None)
        high = next((above for above in range(at, len(rows)) if rows[above] is not None), None)
        yield [_bridge(rows, column, at, low, high) for column in range(WORTH_COLUMNS)]


def _bridge(rows: list[Row | None], column: int, at: int, low: int, high: int | None) -> float:
    below, most = rows[low], float(at * WORTH_MILLI)
    assert below is not None
    if high is None:
        return min(below[column] + (at - low) * WORTH_MILLI, most)
    above = rows[high]
    assert above is not None
    return min(below[column] + (above[column] - below[column]) * (at - low) / (high - low), most)

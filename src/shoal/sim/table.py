"""What people are told of runs: columns and rows of text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from shoal.core.engine.policy import Policy
from shoal.sim.classes import NO_CARD
from shoal.sim.many import spread_of
from shoal.sim.record import Record

_LOADS: Final = (80, 90, 95, 100, 110, 130)
_LARGE: Final = "8 cards"
_NOTHING: Final = "-"


def policy_table(
    found: Mapping[Policy, Sequence[Record]],
) -> tuple[list[str], list[list[str]]]:
    """(columns, rows): one row a policy, each the mean of its seeds ± their deviation.

    A column ``AT 80 %`` is the allocation, percent of all cards, at that arrived load.
    """
    loads = _loads(next(iter(found.values())))
    columns = ["POLICY", *_columns(loads)]
    return columns, [[policy.value, *_cells(found[policy], loads)] for policy in found]


def seed_table(records: Sequence[Record]) -> tuple[list[str], list[list[str]]]:
    """(columns, rows): one row a seed, and the mean below them."""
    loads = _loads(records)
    rows = [
        [str(each.seed), *_cells([each], loads), say_refusals([each.refused])] for each in records
    ]
    if len(records) > 1:
        rows.append(
            ["mean", *_cells(records, loads), say_refusals([each.refused for each in records])]
        )
    return ["SEED", *_columns(loads), "REFUSED FOR"], rows


def _loads(records: Sequence[Record]) -> list[int]:
    """The last load is always told."""
    last = len(records[0].allocation) - 1
    return [*(load for load in _LOADS if load < last), last]


def _columns(loads: Iterable[int]) -> list[str]:
    told = [f"AT {load} %" for load in loads]
    return [*told, "FRAGMENTED", "PLACED", _LARGE.upper(), NO_CARD.upper(), "A CPU-SECOND"]


def _cells(records: Sequence[Record], loads: Sequence[int]) -> list[str]:
    placed = sum(each.placed for each in records)
    return [
        *(say_spread([each.allocation[load] for each in records]) for load in loads),
        say_spread([each.fragmentation[-1] for each in records]),
        _share(placed, sum(sum(each.arrived.values()) for each in records)),
        *(_kind(records, kind) for kind in (_LARGE, NO_CARD)),
        f"{placed / sum(each.cpu_seconds for each in records):,.0f}",
    ]


def say_spread(values: Sequence[float]) -> str:
    """The mean, and of several values ± their deviation."""
    spread = spread_of(values)
    told = f"{spread.mean:.2f}"
    return f"{told} ± {spread.deviation:.2f}" if len(values) > 1 else told


def _kind(records: Sequence[Record], kind: str) -> str:
    arrived = sum(each.arrived.get(kind, 0) for each in records)
    return _share(sum(each.held.get(kind, 0) for each in records), arrived)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else _NOTHING


def say_refusals(refused: Sequence[Mapping[str, int]]) -> str:
    """Each reason with how often it was one, on average."""
    reasons = dict.fromkeys(reason for each in refused for reason in each)
    means = {
        reason: sum(each.get(reason, 0) for each in refused) / len(refused) for reason in reasons
    }
    return ", ".join(f"{reason} {count:.0f}" for reason, count in means.items()) or _NOTHING

"""What people are told of runs in which pods end: columns and rows of text."""

from collections.abc import Mapping, Sequence
from typing import Final

from shoal.core.engine.policy import Policy
from shoal.sim.stays import StayRecord
from shoal.sim.table import say_refusals, say_spread

_COLUMNS: Final = (
    "WANTED", "IN USE", "WAIT, MEAN S", "P95 S", "MOST S", "STARTED", "NOT STARTED", "CPU S",
)  # fmt: skip


def stay_policy_table(
    found: Mapping[Policy, Sequence[StayRecord]],
) -> tuple[list[str], list[list[str]]]:
    """(columns, rows): one row a policy, each the mean of its seeds ± their deviation.

    ``WANTED`` and ``IN USE`` are percent of all cards.
    """
    rows = [[policy.value, *_cells(records)] for policy, records in found.items()]
    return ["POLICY", *_COLUMNS], rows


def stay_seed_table(records: Sequence[StayRecord]) -> tuple[list[str], list[list[str]]]:
    """(columns, rows): one row a seed, and the mean below them."""
    rows = [[str(each.seed), *_cells([each])] for each in records]
    if len(records) > 1:
        rows.append(["mean", *_cells(records)])
    return ["SEED", *_COLUMNS], rows


def _cells(records: Sequence[StayRecord]) -> list[str]:
    return [
        say_spread([each.wanted for each in records]),
        say_spread([each.utilisation for each in records]),
        say_spread([each.waits.mean for each in records]),
        say_spread([each.waits.p95 for each in records]),
        say_spread([each.waits.most for each in records]),
        f"{sum(each.placed for each in records) / len(records):.0f}",
        say_refusals([each.refused for each in records]),
        say_spread([each.cpu_seconds for each in records]),
    ]

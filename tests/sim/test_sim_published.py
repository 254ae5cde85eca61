"""The published figures come out of our engine, on the trace and by the protocol behind them.

``SHOAL_TRACES`` names the folder that holds ``openb/`` and ``fgd_published/``.
"""

import csv
import os
from pathlib import Path

import pytest

from shoal.core.engine.policy import Policy
from shoal.sim.many import mean_curve, run_seeds
from shoal.sim.named import read_named

ROOT = os.environ.get("SHOAL_TRACES", "")
SEEDS = range(42, 52)
WITHIN = 0.15

pytestmark = pytest.mark.skipif(not ROOT, reason="SHOAL_TRACES names no folder of traces")


def published(table: str, policy: str) -> list[float]:
    """The mean over the published seeds at each percent of arrived load, on list ``default``."""
    with (Path(ROOT) / "fgd_published" / f"analysis_{table}_discrete.csv").open() as file:
        rows = [
            [float(row[str(percent)]) for percent in range(131)]
            for row in csv.DictReader(file)
            if (row["workload"], row["sc_policy"], row["tune"])
            == ("openb_pod_list_default", policy, "1.3")
        ]
    assert len(rows) == len(SEEDS)
    return [sum(values) / len(values) for values in zip(*rows, strict=True)]


def test_means_of_ten_seeds_are_as_published_at_every_load() -> None:
    records = list(run_seeds(read_named("openb:default"), Policy.FGD_PUBLISHED, 1300, SEEDS))
    for table, curve in [
        ("allo", mean_curve([each.allocation for each in records])),
        ("frag", mean_curve([each.fragmentation for each in records])),
    ]:
        assert list(curve) == pytest.approx(published(table, "06-FGD"), abs=WITHIN)

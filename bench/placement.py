"""Allocation by policy and list of pods, beside the published figures, and how fast it is decided.

python bench/placement.py [LIST...]        without a list: all that SHOAL_TRACES has

Pods arrive in the orders of seeds 42..51 until 130 % of all cards were asked for, each decided
when it arrives, none ends, none that fits is refused. One thread; CPU time of the placements
alone. A list takes about a minute, ``default`` three, since
for it the default policy also runs with nothing known before.
"""

import csv
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import harness

from shoal.core.engine.policy import Policy
from shoal.sim.classes import NO_CARD
from shoal.sim.many import mean_curve, run_seeds, spread_of
from shoal.sim.named import known_names, read_named
from shoal.sim.prepare import prepare
from shoal.sim.record import Curve, Record
from shoal.sim.run import run
from shoal.sim.trace import Trace, TraceNode

SEEDS = range(42, 52)
LOAD = 1300
LOADS = (80, 90, 95, 100, 110, 130)
POLICIES = (
    Policy.RANDOM,
    Policy.DOT_PRODUCT,
    Policy.BEST_FIT,
    Policy.FGD_PUBLISHED,
    Policy.FRAGMENTATION,
    Policy.IDLE_VALUE,
)
PUBLISHED = {
    "01-Random": Policy.RANDOM,
    "02-DotProd": Policy.DOT_PRODUCT,
    "05-BestFit": Policy.BEST_FIT,
    "06-FGD": Policy.FGD_PUBLISHED,
}
WITHIN = 0.15
AIM_DEFAULT = 96.3
AIM_ONLINE = 96.2
AIM_OVER_GRADIENT = 0.4
AIM_BELOW_GRADIENT = -0.01
AIM_A_SECOND = 75_000
LARGE_NODES = 5000


def main() -> None:
    """Measure and tell."""
    published = dict(_published())
    print(
        f"list | policy | {' | '.join(f'{load} %' for load in LOADS)} | ± | published | 8 | 0 | s"
    )
    for name in sys.argv[1:] or known_names():
        trace = read_named(f"openb:{name.removeprefix('openb:')}")
        found = {policy: list(run_seeds(trace, policy, LOAD, SEEDS)) for policy in POLICIES}
        for policy, records in found.items():
            _row(trace.name, policy, records, published.get((trace.name, policy)))
        _judge(trace.name, found, published)
        if trace.name == "openb:default":
            _judge_online(trace)
    for policy in (Policy.BEST_FIT, Policy.FRAGMENTATION, Policy.IDLE_VALUE):
        _speed(policy)


def _row(name: str, policy: Policy, records: Sequence[Record], published: Curve | None) -> None:
    curve = mean_curve([each.allocation for each in records])
    told = " | ".join(f"{curve[load]:.2f}" for load in LOADS)
    deviation = spread_of([each.allocation[-1] for each in records]).deviation
    beside = f"{published[-1]:.2f}" if published else "-"
    large, bare = (_placed(records, kind) for kind in ("8 cards", NO_CARD))
    rate = sum(each.placed for each in records) / sum(each.cpu_seconds for each in records)
    print(
        f"{name} | {policy.value} | {told} | {deviation:.2f} | {beside} | {large} | {bare} "
        f"| {rate:,.0f}",
        flush=True,
    )


def _placed(records: Sequence[Record], kind: str) -> str:
    arrived = sum(each.arrived.get(kind, 0) for each in records)
    return f"{sum(each.held.get(kind, 0) for each in records) / arrived:.3f}" if arrived else "-"


def _judge(
    name: str,
    found: Mapping[Policy, Sequence[Record]],
    published: Mapping[tuple[str, Policy], Curve],
) -> None:
    ours, gradient = (
        mean_curve([each.allocation for each in found[policy]])
        for policy in (Policy.IDLE_VALUE, Policy.FGD_PUBLISHED)
    )
    known = published.get((name, Policy.FGD_PUBLISHED))
    if known:
        off = gradient[-1] - known[-1]
        aim = f"within {WITHIN}"
        harness.tell(f"{name}, published gradient", f"{off:+.2f}", aim, reached=abs(off) <= WITHIN)
    if name == "openb:default":
        reached = ours[-1] >= AIM_DEFAULT
        harness.tell(
            f"{name}, idle-value", f"{ours[-1]:.2f} %", f"≥ {AIM_DEFAULT}", reached=reached
        )
    over = ours[-1] - gradient[-1]
    aim = f"≥ {AIM_OVER_GRADIENT}"
    harness.tell(
        f"{name}, over the gradient", f"{over:+.2f}", aim, reached=over >= AIM_OVER_GRADIENT
    )
    least, load = min((mine - theirs, at) for at, (mine, theirs) in enumerate(zip(ours, gradient)))  # noqa: B905
    harness.tell(
        f"{name}, least over the gradient at any load",
        f"{least:+.2f} at {load} %",
        f"≥ {AIM_BELOW_GRADIENT}",
        reached=least >= AIM_BELOW_GRADIENT,
    )


def _judge_online(trace: Trace) -> None:
    records = list(run_seeds(trace, Policy.IDLE_VALUE, LOAD, SEEDS, online=True))
    _row(trace.name, Policy.IDLE_VALUE, records, None)
    mean = spread_of([each.allocation[-1] for each in records]).mean
    harness.tell(
        f"{trace.name}, idle-value learnt from nothing",
        f"{mean:.2f} %",
        f"≥ {AIM_ONLINE}",
        reached=mean >= AIM_ONLINE,
    )


def _speed(policy: Policy) -> None:
    """The mix of the default list on a larger cluster, until 130 % arrived."""
    mix = read_named("openb:default")
    node = TraceNode("n", 96_000, 384 * 1024, 8, 0)
    large = Trace("large", mix.models, (node,) * LARGE_NODES, mix.pods)
    done = run(large, prepare(large, policy), LOAD, SEEDS[0])
    rate = sum(place is not None for place in done.places) / (done.cpu_ns / 1e9)
    figure = f"placements a CPU-second, {LARGE_NODES} nodes of 8 cards, {policy.value}"
    value = f"{rate:,.0f} ({len(done.places)} arrivals)"
    harness.tell(figure, value, f"≥ {AIM_A_SECOND:,}", reached=rate >= AIM_A_SECOND)


def _published() -> Iterator[tuple[tuple[str, Policy], Curve]]:
    path = Path(os.environ["SHOAL_TRACES"]) / "fgd_published" / "analysis_allo_discrete.csv"
    curves: dict[tuple[str, Policy], list[Curve]] = {}
    with path.open() as file:
        for row in csv.DictReader(file):
            policy = PUBLISHED.get(row["sc_policy"])
            if policy and row["tune"] == "1.3":
                name = row["workload"].replace("openb_pod_list_", "openb:")
                curve = tuple(float(row[str(percent)]) for percent in range(131))
                curves.setdefault((name, policy), []).append(curve)
    for key, all_curves in curves.items():
        yield key, mean_curve(all_curves)


if __name__ == "__main__":
    main()

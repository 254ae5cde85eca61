"""How far the policies are from what is best with hindsight, on clusters small enough to solve."""

from random import Random

from tests.engine.optimum import most_placed

from shoal.core.engine.native import NativeEngine
from shoal.core.engine.policy import Policy
from shoal.core.engine.spec import Ask, CardSpec, NodeSpec, Work

CASES = 40
MIX = [
    Work(Ask(cpu=4000, count=1, milli=550), 3),
    Work(Ask(cpu=4000, count=1, milli=450), 3),
    Work(Ask(cpu=4000, count=1, milli=320), 2),
    Work(Ask(cpu=8000, count=1, milli=1000), 2),
    Work(Ask(cpu=16_000, count=2, milli=1000), 1),
]
NODES = [NodeSpec(32_000, 0, (CardSpec(0),) * 2), NodeSpec(32_000, 0, (CardSpec(0),) * 4)]


def arrivals(seed: int) -> list[int]:
    weights = [work.weight for work in MIX]
    return Random(seed).choices(range(len(MIX)), weights, k=13)


def placed(policy: Policy, numbers: list[int]) -> int:
    engine = NativeEngine(1)
    for node, spec in enumerate(NODES):
        engine.put_node(node, spec, rank=node)
    for number, work in enumerate(MIX):
        engine.put_class(number, work.ask, [True] * len(NODES))
    engine.set_work(MIX)
    engine.set_policy(policy)
    had = [number for number in numbers if engine.place_one(number)]
    return sum(MIX[number].ask.count * MIX[number].ask.milli for number in had)


def test_no_policy_gives_more_than_there_is_and_idle_value_gives_most(record_property):
    lists = [arrivals(seed) for seed in range(CASES)]
    best = sum(most_placed(NODES, [MIX[number].ask for number in each]) for each in lists)
    gaps = {}
    for policy in Policy:
        given = [placed(policy, each) for each in lists]
        assert sum(given) <= best
        gaps[policy] = 100 * (1 - sum(given) / best)
        print(f"{policy}: {gaps[policy]:.2f} % below the optimum")
        record_property(f"gap {policy}", gaps[policy])
    assert gaps[Policy.IDLE_VALUE] < min(gaps[Policy.RANDOM], gaps[Policy.SPREAD])

"""An engine made ready for a run: nodes, classes, and what its policy needs to know."""

from collections.abc import Sequence
from typing import Final

from shoal.core.engine.native import NativeEngine
from shoal.core.engine.policy import Policy
from shoal.sim.classes import Classes, Typical, work_of
from shoal.sim.trace import Trace

_EXPECTS: Final = {Policy.FGD_PUBLISHED: Typical.PUBLISHED}
"""All of a trace's work unless said here."""


def prepared(
    trace: Trace, classes: Classes, policy: Policy, ranks: Sequence[int], seed: int
) -> NativeEngine:
    """The engine at the start of a run, every class put and every node empty.

    ``ranks`` tells by node which comes first among equals.
    """
    engine = NativeEngine(len(trace.models))
    for number, (node, rank) in enumerate(zip(trace.nodes, ranks, strict=True)):
        engine.put_node(number, node.spec, rank)
    for number, ask in enumerate(classes.asks):
        engine.put_class(number, ask, [True] * len(trace.nodes))
    _inform(engine, policy, trace, seed)
    return engine


def _inform(engine: NativeEngine, policy: Policy, trace: Trace, seed: int) -> None:
    engine.set_work(work_of(trace, _EXPECTS.get(policy, Typical.ALL)))
    engine.set_policy(policy)
    engine.set_seed(seed)

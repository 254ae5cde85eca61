"""What a policy needs for a trace, worked out once; and an engine made ready for each run."""

from collections.abc import Sequence
from typing import Final

import msgspec

from shoal.core.engine.filled import filled
from shoal.core.engine.learn import learn
from shoal.core.engine.native import NativeEngine
from shoal.core.engine.policy import Policy
from shoal.core.engine.spec import Work
from shoal.sim.classes import Classes, Typical, classes_of, work_of
from shoal.sim.online import vague_work
from shoal.sim.trace import Trace

_EXPECTS: Final = {Policy.FGD_PUBLISHED: Typical.PUBLISHED}
"""All of a trace's work unless said here."""
_LEARNS_WITH: Final = 1000
"""The seed of what is learnt, whatever those of the runs are."""


class Prepared(msgspec.Struct, frozen=True):
    """A policy with the classes of a trace and the work that it is told to expect.

    ``worth`` is the table that was learnt for that work, for the policy that has one. ``online``
    tells that nothing is known before, so that it has to be told what arrived.
    """

    policy: Policy
    classes: Classes
    works: list[Work]
    worth: list[int] | None
    online: bool = False


def prepare(trace: Trace, policy: Policy, *, online: bool = False) -> Prepared:
    """Work out what the policy needs; may take seconds. No run counts them."""
    if online:
        return Prepared(policy, classes_of(trace.pods), vague_work(trace), None, online=True)
    works = work_of(trace, _EXPECTS.get(policy, Typical.ALL))
    worth = None
    if policy is Policy.IDLE_VALUE:
        nodes = [node.spec for node in trace.nodes]
        worth = learn(nodes, len(trace.models), works, _LEARNS_WITH)
    return Prepared(policy, classes_of(trace.pods), works, worth)


def engine_for(trace: Trace, prepared: Prepared, ranks: Sequence[int], seed: int) -> NativeEngine:
    """The engine at the start of a run, every class put and every node empty.

    ``ranks`` tells by node which comes first among equals.
    """
    engine = filled(
        [node.spec for node in trace.nodes],
        len(trace.models),
        prepared.classes.asks,
        policy=prepared.policy,
        works=prepared.works,
        ranks=ranks,
        worth=prepared.worth,
    )
    engine.set_seed(seed)
    return engine

"""An engine that is ready for work: nodes, classes, what is expected and how places are ranked."""

from collections.abc import Iterable, Sequence

from shoal.core.engine.native import NativeEngine
from shoal.core.engine.policy import Policy
from shoal.core.engine.spec import Ask, NodeSpec, Work


def filled(
    nodes: Sequence[NodeSpec],
    models: int,
    asks: Iterable[Ask],
    *,
    policy: Policy,
    works: Sequence[Work],
    ranks: Sequence[int] | None = None,
    worth: Sequence[int] | None = None,
) -> NativeEngine:
    """Nodes and classes by their place in the lists; every node suits every class.

    ``models`` is how many there are. ``ranks`` tells by node which comes first among equals, by
    default the first. ``worth`` is a table that was learnt for ``idle-value``.
    """
    engine = NativeEngine(models)
    for number, spec in enumerate(nodes):
        engine.put_node(number, spec, ranks[number] if ranks is not None else number)
    for number, ask in enumerate(asks):
        engine.put_class(number, ask, [True] * len(nodes))
    engine.set_work(works)
    engine.set_policy(policy)
    if worth is not None:
        engine.set_worth(worth)
    return engine

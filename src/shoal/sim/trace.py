"""A trace: nodes, and pods that came for a place on them. Integers; models by number."""

from functools import cached_property

import msgspec

from shoal.core.engine.spec import Ask, CardSpec, NodeSpec
from shoal.units.gpu import WHOLE


class TraceNode(msgspec.Struct, frozen=True):
    """A node: mCPU, MiB and its cards, all of one model."""

    name: str
    cpu: int
    memory: int
    cards: int
    model: int

    @property
    def spec(self) -> NodeSpec:
        """As an engine is told of it."""
        return NodeSpec(self.cpu, self.memory, (CardSpec(self.model),) * self.cards)


class TracePod(msgspec.Struct, frozen=True):
    """A pod: mCPU, MiB, and ``cards`` cards with ``milli`` of each.

    ``models`` are those allowed, as they were written; none means any. ``arrives`` and ``lives``
    are seconds; None where the trace does not tell. ``owner`` is whose work it is.
    """

    name: str
    cpu: int
    memory: int
    cards: int
    milli: int
    models: tuple[int, ...] = ()
    owner: str = ""
    arrives: int | None = None
    lives: int | None = None

    @property
    def ask(self) -> Ask:
        """As an engine is told of it."""
        models = frozenset(self.models) if self.models else None
        return Ask(self.cpu, self.memory, self.cards, self.milli, models=models)

    @property
    def asked(self) -> int:
        """Milli-card in all."""
        return self.cards * self.milli


class Trace(msgspec.Struct, frozen=True, dict=True):
    """A named trace; ``models`` are the names of the models in the order of their numbers."""

    name: str
    models: tuple[str, ...]
    nodes: tuple[TraceNode, ...]
    pods: tuple[TracePod, ...]

    @cached_property
    def capacity(self) -> int:
        """Milli-card of all cards of all nodes."""
        return sum(node.cards for node in self.nodes) * WHOLE

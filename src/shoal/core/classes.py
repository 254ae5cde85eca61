"""Classes: the request classes of members, as numbers of an engine.

A member with several shares is none: the engine knows one share a member (see ``core.several``).
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from shoal.core.bounds import MOST_ASKED, MOST_COUNT, MOST_MIB, MOST_MILLI
from shoal.core.engine.engine import Engine
from shoal.core.engine.spec import Ask
from shoal.core.shape import MemberShape
from shoal.core.suits import Suits
from shoal.units.gpu import Share

FIRST_MODELS: Final = 8
"""Numbers of card models that an engine starts with; they grow by doubling."""
_MOST: Final = 512
"""Classes that are kept; those asked for least recently are dropped."""


class Classes:
    """The classes and card models of one engine."""

    __slots__ = ("_engine", "_free", "_models", "_models_room", "_numbers", "_suits")

    def __init__(self, engine: Engine, suits: Suits) -> None:
        self._engine = engine
        self._suits = suits
        self._numbers: dict[MemberShape, int] = {}
        self._free: list[int] = []
        self._models: dict[str, int] = {}
        self._models_room = FIRST_MODELS

    def number(self, shape: MemberShape) -> int:
        """The class of a member with one share or none. It stays until ``trim``."""
        number = self._numbers.pop(shape, None)
        if number is None:
            number = self._free.pop() if self._free else len(self._numbers)
            self._engine.put_class(number, self._ask(shape), self._suits.all(shape))
        self._numbers[shape] = number
        return number

    def trim(self) -> None:
        """Drop the classes beyond the most that are kept. Not while numbers are in use."""
        while len(self._numbers) > _MOST:
            number = self._numbers.pop(next(iter(self._numbers)))
            self._engine.drop_class(number)
            self._free.append(number)

    def model(self, name: str) -> int:
        """The number of a card model."""
        return self._models[name]

    def add_models(self, names: Iterable[str]) -> None:
        """These card models exist: classes that allow them by name must know."""
        new = dict.fromkeys(name for name in names if name not in self._models)
        if not new:
            return
        for name in new:
            self._models[name] = len(self._models)
        while self._models_room < len(self._models):
            self._models_room *= 2
            self._engine.set_models(self._models_room)
        for shape, number in self._numbers.items():
            self._engine.put_class(number, self._ask(shape), self._suits.all(shape))

    def node_changed(self, node: int) -> None:
        """Whom a node suits may have changed."""
        for shape, number in self._numbers.items():
            self._engine.suit(number, node, self._suits.one(node, shape))

    def _ask(self, shape: MemberShape) -> Ask:
        assert len(shape.shares) <= 1
        cpu, memory = min(shape.cpu_milli, MOST_ASKED), min(shape.memory_mib, MOST_ASKED)
        if not shape.shares:
            return Ask(cpu, memory)
        (share,) = shape.shares
        count, milli = min(share.count, MOST_COUNT), min(share.milli, MOST_MILLI)
        mib, allowed = min(share.memory_mib, MOST_MIB + 1), self._allowed(share)
        return Ask(cpu, memory, count, milli, mib, allowed, shape.level)

    def _allowed(self, share: Share) -> frozenset[int] | None:
        if not share.models:
            return None
        return frozenset(at for name, at in self._models.items() if allows(share.models, name))


@lru_cache(maxsize=4096)
def allows(models: tuple[str, ...], model: str) -> bool:
    """Whether a card of this model will do where these are asked for."""
    return Share(models=models).allows(model)

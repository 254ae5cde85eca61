"""A map from keys to sets that forgets empty sets."""

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


class Multimap(Generic[K, V]):
    """Sets in the order of insertion, so that what is made of them is deterministic."""

    def __init__(self) -> None:
        self._sets: dict[K, dict[V, None]] = {}

    def add(self, key: K, value: V) -> None:
        """Have ``value`` under ``key``."""
        self._sets.setdefault(key, {})[value] = None

    def discard(self, key: K, value: V) -> None:
        """Have ``value`` under ``key`` no more."""
        values = self._sets.get(key)
        if values is not None:
            values.pop(value, None)
            if not values:
                del self._sets[key]

    def of(self, key: K) -> tuple[V, ...]:
        """The values under ``key``."""
        return tuple(self._sets.get(key, ()))

    def __iter__(self) -> Iterator[K]:
        return iter(self._sets)

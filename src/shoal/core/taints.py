"""Taints of nodes and the tolerations of pods: which keep which away. Pure."""

from collections.abc import Iterable

import msgspec


class Taint(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A mark of a node that keeps away whoever does not tolerate it."""

    key: str
    effect: str
    value: str = ""

    def __str__(self) -> str:
        value = f"={self.value}" if self.value else ""
        return f"{self.key}{value}:{self.effect}"


class Toleration(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The taints that a pod does not mind.

    An empty key or effect covers every one, and no value (None) any value.
    """

    key: str = ""
    effect: str = ""
    value: str | None = None

    def covers(self, taint: Taint) -> bool:
        """Whether this taint is tolerated."""
        return (
            self.key in ("", taint.key)
            and self.effect in ("", taint.effect)
            and self.value in (None, taint.value)
        )


def untolerated(taints: Iterable[Taint], tolerations: tuple[Toleration, ...]) -> list[Taint]:
    """The taints that none of the tolerations covers."""
    return [taint for taint in taints if not any(one.covers(taint) for one in tolerations)]

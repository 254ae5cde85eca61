"""Taints and tolerations as they are written, to those that keep pods away.

The two taints that follow from a node's condition Ready are left out: the condition itself
closes the node, and nothing on a node of which nothing is heard is ever ended.
"""

from collections.abc import Iterable
from typing import Final

from shoal.api.node import NOT_READY_TAINT, UNREACHABLE_TAINT
from shoal.api.node import Taint as WrittenTaint
from shoal.api.pod import Toleration as WrittenToleration
from shoal.core.taints import Taint, Toleration

NO_SCHEDULE: Final = "NoSchedule"
NO_EXECUTE: Final = "NoExecute"
_OF_CONDITIONS: Final = frozenset({NOT_READY_TAINT, UNREACHABLE_TAINT})


def taints_of(
    written: Iterable[WrittenTaint], effects: tuple[str, ...] = (NO_SCHEDULE, NO_EXECUTE)
) -> tuple[Taint, ...]:
    """The taints of these effects, in their order."""
    return tuple(
        Taint(key=one.key, effect=one.effect, value=one.value)
        for one in written
        if one.effect in effects and one.key not in _OF_CONDITIONS
    )


def counts(written: WrittenToleration) -> bool:
    """Whether a toleration covers anything here: those that compare numbers do not."""
    return written.operator in ("", "Equal", "Exists")


def toleration_of(written: WrittenToleration) -> Toleration:
    """What a toleration covers that counts."""
    value = None if written.operator == "Exists" else written.value
    return Toleration(key=written.key, effect=written.effect, value=value)


def tolerations_of(written: Iterable[WrittenToleration]) -> tuple[Toleration, ...]:
    """Those that may matter; most pods have none."""
    known = (one for one in written if one.key not in _OF_CONDITIONS and counts(one))
    return tuple(toleration_of(one) for one in known)

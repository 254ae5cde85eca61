"""The placement policies by name, and the steps in which gains are told apart."""

import math
from bisect import bisect_left
from enum import StrEnum


class Policy(StrEnum):
    """How places are ranked. Each is one file in ``native/placement/policies``."""

    BINPACK = "binpack"
    """Least left over on the cards taken, then on the node."""
    SPREAD = "spread"
    """Most left over: the other way round."""
    BEST_FIT = "best-fit"
    """Least left of the node, cards and CPU weighed together."""
    DOT_PRODUCT = "dot-product"
    """Where what is free points least the way of what is asked."""
    RANDOM = "random"
    """Any place that fits."""
    FRAGMENTATION = "fragmentation"
    """Where the room that expected work cannot use grows least; ties are packed."""
    FGD_PUBLISHED = "fgd-published"
    """The same exactly as behind the published figures; ties go to the first node."""
    IDLE_VALUE = "idle-value"
    """Where least is expected to be idle in the end, scarce room kept."""

    @property
    def number(self) -> int:
        """Its place in the compiled engine's table."""
        return list(Policy).index(self)


_SCORES = 100
"""A gain becomes a whole score of at most this, as schedulers of Kubernetes score nodes."""


def gradient_steps(total: int) -> list[int]:
    """The least gains at which ``int(100 * sigmoid(gain / (1000 * total)))`` is 1, 2, … 99.

    ``gain`` is milli-card times weight, ``total`` the sum of all weights. So quantised one step
    is about 40 milli-card around 0. The formula is the one behind the published figures.
    """

    def score(gain: int) -> int:
        return int(_SCORES / (1 + math.exp(-gain / (1000 * total))))

    reach = 16 * 1000 * total
    gains = range(-reach, reach)
    return [gains[bisect_left(gains, step, key=score)] for step in range(1, _SCORES)]

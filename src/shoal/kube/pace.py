"""Bounds on how often something is done, with a little saved up for bursts."""

import time
from collections.abc import Callable


class Pace:
    """``rate`` a second in the long run, at most ``burst`` at once."""

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._saved = float(burst)
        self._at = clock()

    def take(self) -> float:
        """Take the next turn; the seconds to wait for it, 0 for at once."""
        now = self._clock()
        self._saved = min(self._saved + (now - self._at) * self._rate, self._burst) - 1
        self._at = now
        return max(-self._saved / self._rate, 0.0)

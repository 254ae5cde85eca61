"""How long a group that could not be written waits before it is tried again."""

from typing import Final

_FIRST_MS: Final = 200
_LONGEST_MS: Final = 30_000


class Backoff:
    """Twice as long after each refusal in a row; whoever is gone or placed must be forgotten."""

    def __init__(self) -> None:
        self._refusals: dict[str, int] = {}

    def next(self, key: str) -> int:
        """The wait in ms after one more refusal."""
        times = self._refusals.get(key, 0)
        self._refusals[key] = times + 1
        return int(min(_FIRST_MS * 2 ** min(times, 10), _LONGEST_MS))

    def forget(self, key: str) -> None:
        """Start anew."""
        self._refusals.pop(key, None)

"""Uids and the suffixes of generated names, from random bytes drawn many at a time."""

import os
from typing import Final

from shoal.dialect.names import SUFFIX_LENGTH, SUFFIX_LETTERS

_DRAW: Final = 4096


class Ids:
    """A source of ids. One draw from the system serves 256 of them."""

    def __init__(self) -> None:
        self._bytes = b""
        self._used = 0

    def uid(self) -> str:
        """A random UUID, version 4 of RFC 9562."""
        drawn = self._take(16).hex()
        variant = "89ab"[int(drawn[16], 16) & 3]
        return f"{drawn[:8]}-{drawn[8:12]}-4{drawn[13:16]}-{variant}{drawn[17:20]}-{drawn[20:]}"

    def suffix(self) -> str:
        """Five letters for a generated name."""
        number = int.from_bytes(self._take(8))
        letters = []
        for _ in range(SUFFIX_LENGTH):
            number, index = divmod(number, len(SUFFIX_LETTERS))
            letters.append(SUFFIX_LETTERS[index])
        return "".join(letters)

    def _take(self, count: int) -> bytes:
        if self._used + count > len(self._bytes):
            self._bytes, self._used = os.urandom(_DRAW), 0
        self._used += count
        return self._bytes[self._used - count : self._used]


IDS: Final = Ids()

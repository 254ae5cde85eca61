"""Who may talk: whoever holds the home's token. A few paths are open, as upstream has them."""

import hmac
import re
from collections.abc import Mapping
from typing import Final

from shoal.dialect.status import StatusError

_OPEN: Final = re.compile(r"/(healthz|livez|readyz)(/.*)?\Z|/version/?\Z")


class Guard:
    """Checks bearer tokens in constant time."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def check(self, path: str, headers: Mapping[str, str]) -> None:
        """Raises StatusError 401 unless the request carries the token or the path is open."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode(), self._token)
        if not (right and scheme.lower() == "bearer") and not _OPEN.match(path):
            raise StatusError(401, "Unauthorized", "the token is missing or wrong")

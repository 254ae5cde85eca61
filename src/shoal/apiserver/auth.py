"""Who may talk: whoever holds the home's token. A few paths are open, as upstream has them."""

import hmac
import re
from collections.abc import Mapping
from typing import Final

from shoal.dialect.status import Details, StatusError

_OPEN: Final = re.compile(r"/(healthz|livez|readyz)(/.*)?\Z|/version/?\Z")


class Guard:
    """Checks bearer tokens in constant time."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def knows(self, token: str) -> bool:
        """Whether it is the home's token."""
        return hmac.compare_digest(token.encode(), self._token)

    def check(self, path: str, headers: Mapping[str, str]) -> None:
        """Raises StatusError 401 unless the request carries the token or the path is open.

        403 where it wants to act as somebody else: there is nobody else.
        """
        scheme, _, given = headers.get("authorization", "").partition(" ")
        right = self.knows(given.strip())
        if not (right and scheme.lower() == "bearer") and not _OPEN.match(path):
            raise StatusError(401, "Unauthorized", "the token is missing or wrong")
        if any(name.startswith("impersonate-") for name in headers):
            message = "nobody can be impersonated here; leave --as and the Impersonate headers out"
            raise StatusError(403, "Forbidden", message, Details())

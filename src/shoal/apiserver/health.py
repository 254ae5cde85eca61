"""``/healthz``, ``/livez`` and ``/readyz``: the server answers once its store is loaded."""

from collections.abc import Sequence
from typing import Final

from shoal.apiserver.http import PLAIN_TEXT, Request, Response, page_not_found

PATHS: Final = ("healthz", "livez", "readyz")
_CHECKS: Final = ("ping", "store")


def answer_health(request: Request, segments: Sequence[str]) -> Response:
    """``ok``; with ``?verbose`` a line for each check; one check where the path names it."""
    name, *check = segments
    if len(check) > 1 or not set(check) <= set(_CHECKS):
        return page_not_found()
    if check or "verbose" not in request.query:
        return Response(200, b"ok", PLAIN_TEXT)
    lines = [*(f"[+]{one} ok" for one in _CHECKS), f"{name} check passed", ""]
    return Response(200, "\n".join(lines).encode(), PLAIN_TEXT)

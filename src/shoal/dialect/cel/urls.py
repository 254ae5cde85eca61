"""Absolute URLs, and paths that begin at a root."""

import re
from typing import Final
from urllib.parse import SplitResult, parse_qs, quote, urlsplit

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.function import Functions, plain, taking
from shoal.dialect.cel.values import Steps

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:", re.ASCII)
_NEVER: Final = re.compile(r"[\x00-\x20\x7f]|%(?![0-9A-Fa-f]{2})", re.ASCII)
_IN_PATHS: Final = "/%:@!$&'()*+,;=~"


def _url(text: str, steps: Steps) -> SplitResult:
    if _NEVER.search(text) is None and (text.startswith("/") or _SCHEME.match(text)):
        try:
            parts = urlsplit(text, allow_fragments=False)
            _ = parts.port
        except ValueError:
            pass
        else:
            return parts
    raise CelError(f"{text[:60]!r} is no URL; example: https://example.com/path")


def _is_url(text: str, steps: Steps) -> bool:
    try:
        _url(text, steps)
    except CelError:
        return False
    return True


def _hostname(url: SplitResult) -> str:
    host = _host(url)
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


def _host(url: SplitResult) -> str:
    return url.netloc.rpartition("@")[2]


def _port(url: SplitResult) -> str:
    return "" if url.port is None else str(url.port)


def _query(url: SplitResult, steps: Steps) -> dict[str, list[str]]:
    steps.spend(len(url.query))
    return parse_qs(url.query, keep_blank_values=True)


FUNCTIONS: Final[Functions] = {
    ("isURL", 1): taking("string", "bool", _is_url),
    ("url", 1): taking("string", "url", _url),
}
METHODS: Final[Functions] = {
    ("getEscapedPath", 1): taking("url", "string", plain(lambda url: quote(url.path, _IN_PATHS))),
    ("getHost", 1): taking("url", "string", plain(_host)),
    ("getHostname", 1): taking("url", "string", plain(_hostname)),
    ("getPort", 1): taking("url", "string", plain(_port)),
    ("getQuery", 1): taking("url", "map", _query),
    ("getScheme", 1): taking("url", "string", plain(lambda url: url.scheme)),
}

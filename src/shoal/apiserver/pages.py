"""Everything outside of the kinds' own paths: version, health, metrics, discovery, OpenAPI."""

from collections.abc import Sequence
from typing import Final

from shoal.apiserver import discovery, metrics
from shoal.apiserver.health import PATHS, answer_health
from shoal.apiserver.http import Request, Response, answer, page_not_found
from shoal.apiserver.openapi3.documents import V2
from shoal.apiserver.server import Server
from shoal.dialect.status import Details, StatusError

VERSION: Final = {
    "major": "1",
    "minor": "37",
    "gitVersion": "v1.37.0+shoal",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "none",
    "compiler": "none",
    "platform": "linux/amd64",
}


def answer_page(server: Server, request: Request, segments: Sequence[str]) -> Response:
    """Answer a path that names no kind. Raises StatusError 404 or 405."""
    page = _page(server, request, segments)
    if request.method in ("GET", "HEAD") or page.status == 404:
        return page
    told = f"{request.method} is not supported on {request.path[:100]}; it can be read alone"
    raise StatusError(405, "MethodNotAllowed", told, Details())


def _page(server: Server, request: Request, segments: Sequence[str]) -> Response:
    match list(segments):
        case []:
            return discovery.roots(server.registry)
        case ["api", *rest]:
            return discovery.core(server.registry, request, rest)
        case ["apis", *rest]:
            return discovery.groups(server.registry, request, rest)
        case _:
            return _other(server, request, segments)


def _other(server: Server, request: Request, segments: Sequence[str]) -> Response:
    match list(segments):
        case ["version"]:
            return answer(VERSION)
        case [name, *_] if name in PATHS:
            return answer_health(request, segments)
        case ["metrics"]:
            return _metrics(server)
        case ["openapi", "v2"]:
            return V2
        case ["openapi", "v3", *path]:
            return server.openapi.answer(server.registry, request, "/".join(path))
    return page_not_found()


def _metrics(server: Server) -> Response:
    stored = (one for one in server.registry.resources if one.stored)
    counts = {resource.key: server.store.count(resource.key) for resource in stored}
    return metrics.page(server.counters, server.store.revision, counts)

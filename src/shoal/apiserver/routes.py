"""Paths to verbs."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from shoal.apiserver import discovery, proxy
from shoal.apiserver.create import create
from shoal.apiserver.delete import delete, delete_collection
from shoal.apiserver.http import Answer, Request
from shoal.apiserver.read import get, list_
from shoal.apiserver.server import Server, Target
from shoal.apiserver.subresources import bind, finalize
from shoal.apiserver.update import patch, replace
from shoal.apiserver.watch import watch
from shoal.dialect.status import method_not_allowed, no_such_path

Verb = Callable[[Server, Request, Target], Awaitable[Answer]]


async def route(server: Server, request: Request) -> Answer:
    """Answer one request. Raises StatusError."""
    segments = [segment for segment in request.path.split("/") if segment]
    match segments:
        case ["api", "v1", "namespaces", namespace, "services", name, "proxy", *tail]:
            return await proxy.service(server, request, namespace, name, "/".join(tail))
    found = target_of(server, segments)
    if found is None:
        return discovery.answer_path(server, request, segments)
    verb = _verb(request, found)
    return await verb(server, request, found)


def target_of(server: Server, segments: Sequence[str]) -> Target | None:
    """What a path names; None for discovery. Raises StatusError for a kind not served."""
    if segments[:1] == ["api"] and len(segments) > 2:
        group, version, rest = "", segments[1], list(segments[2:])
    elif segments[:1] == ["apis"] and len(segments) > 3:
        group, version, rest = segments[1], segments[2], list(segments[3:])
    else:
        return None
    plurals = server.registry.group(group, version)
    if plurals is None:
        raise no_such_path()
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] in plurals:
        namespace, rest = rest[1], rest[2:]
    resource = plurals.get(rest[0])
    if resource is None or bool(namespace) > resource.namespaced:
        raise no_such_path()
    name, subresource = [*rest, "", ""][1:3]
    if name and resource.namespaced and not namespace:
        raise no_such_path()
    return Target(resource, namespace, name, subresource, "/".join(rest[3:]))


def _verb(request: Request, target: Target) -> Verb:
    resource = target.resource
    if target.subresource:
        verbs = _SUBRESOURCES.get((resource.key, target.subresource))
        if verbs is None and target.subresource == "status" and resource.status:
            verbs = _STATUS
        if verbs is None:
            raise no_such_path()
    elif target.name:
        verbs = _OBJECT
    else:
        verbs = _collection(request, target)
    verb = verbs.get(request.method)
    if verb is None:
        raise method_not_allowed(resource.group, resource.plural, request.method)
    return verb


def _collection(request: Request, target: Target) -> Mapping[str, Verb]:
    resource = target.resource
    if request.method == "GET" and request.flag("watch"):
        return {"GET": watch}
    if request.method == "POST" and resource.namespaced and not target.namespace:
        return {}
    if request.method == "DELETE" and not resource.collection_deletes:
        return {}
    return _COLLECTION


_COLLECTION: Final[Mapping[str, Verb]] = {
    "GET": list_,
    "POST": create,
    "DELETE": delete_collection,
}
_OBJECT: Final[Mapping[str, Verb]] = {
    "GET": get,
    "PUT": replace,
    "PATCH": patch,
    "DELETE": delete,
}
_STATUS: Final[Mapping[str, Verb]] = {"GET": get, "PUT": replace, "PATCH": patch}
_SUBRESOURCES: Final[Mapping[tuple[str, str], Mapping[str, Verb]]] = {
    ("pods", "binding"): {"POST": bind},
    ("pods", "log"): {"GET": proxy.pod_log},
    ("namespaces", "finalize"): {"PUT": finalize},
}

"""Paths to verbs."""

import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import msgspec

from shoal.apiserver import proxy, reviews
from shoal.apiserver.create import create
from shoal.apiserver.delete import delete, delete_collection
from shoal.apiserver.http import Answer, Request, page_not_found
from shoal.apiserver.kinds import reviews as kinds
from shoal.apiserver.metrics import Labels
from shoal.apiserver.pages import answer_page
from shoal.apiserver.read import get, list_
from shoal.apiserver.registry import Registry
from shoal.apiserver.scale import get_scale, patch_scale, replace_scale
from shoal.apiserver.served import is_builtin
from shoal.apiserver.server import Server, Target
from shoal.apiserver.subresources import bind, bind_named, evict, finalize
from shoal.apiserver.update import patch, replace
from shoal.apiserver.watch import watch
from shoal.dialect.status import Details, StatusError, method_not_allowed, no_such_path

Verb = Callable[[Server, Request, Target], Awaitable[Answer]]


class Place(msgspec.Struct, frozen=True):
    """Where a request goes: how it is answered, and what it is counted as."""

    act: Callable[[Server, Request], Awaitable[Answer]]
    labels: Labels = ("other", "", "")
    warning: str = ""
    """What whoever asks here is told besides, also where the request is refused."""


def find(registry: Registry, request: Request) -> Place:
    """What a request is for. Raises StatusError where a known group does not serve it."""
    segments = _segments(request.path)
    if segments is None:
        return NOWHERE
    match segments:
        case ["api", "v1", "namespaces", namespace, "services", name, "proxy", *tail]:
            act = functools.partial(
                proxy.service, namespace=namespace, name=name, tail="/".join(tail)
            )
            return Place(act, ("PROXY", "services", "proxy"))
    target = target_of(registry, segments)
    if target is None:
        return Place(functools.partial(_discover, segments=segments))
    if target.resource.custom and _lacks_namespace(request, target):
        return NOWHERE
    verb = _verb(request, target)
    act = functools.partial(_on_target, verb=verb, target=target)
    label = _LABELS.get(verb, request.method)
    labels = (label, target.resource.key, target.subresource)
    return Place(act, labels, target.resource.deprecation)


def target_of(registry: Registry, segments: Sequence[str]) -> Target | None:
    """What a path names; None for discovery. Raises StatusError for a kind not served."""
    if segments[:1] == ["api"] and len(segments) > 2:
        group, version, rest = "", segments[1], list(segments[2:])
    elif segments[:1] == ["apis"] and len(segments) > 3:
        group, version, rest = segments[1], segments[2], list(segments[3:])
    else:
        return None
    plurals = registry.group(group, version)
    if plurals is None:
        return None
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] in plurals:
        namespace, rest = rest[1], rest[2:]
    resource = plurals.get(rest[0])
    if resource is None or bool(namespace) > resource.namespaced:
        return _nothing(group)
    name, subresource = [*rest, "", ""][1:3]
    if name and resource.namespaced and not namespace:
        return _nothing(group)
    return Target(resource, namespace, name, subresource, "/".join(rest[3:]))


def _nothing(group: str) -> Target | None:
    """No target: in other groups than Kubernetes' own, discovery says so in plain text."""
    if is_builtin(group):
        raise no_such_path()
    return None


def _segments(path: str) -> list[str] | None:
    """The parts of a path, one slash at its end aside; None where a part is empty."""
    parts = path.removesuffix("/").split("/")[1:]
    return None if "" in parts else parts


async def _discover(server: Server, request: Request, segments: Sequence[str]) -> Answer:
    return answer_page(server, request, segments)


async def _on_target(server: Server, request: Request, verb: Verb, target: Target) -> Answer:
    return await verb(server, request, target)


async def _nowhere(server: Server, request: Request) -> Answer:
    return page_not_found()


NOWHERE: Final = Place(_nowhere)
"""Where nothing is served."""


def _verb(request: Request, target: Target) -> Verb:
    resource = target.resource
    if target.subresource:
        verbs = _subresource(target)
    elif not resource.stored:
        verbs = _POSTED.get(resource.key, {})
        if target.name or (resource.namespaced and not target.namespace):
            raise no_such_path()
    elif target.name:
        verbs = _OBJECT
    else:
        verbs = _collection(request, target)
    verb = verbs.get(request.method)
    if verb is None:
        raise method_not_allowed(resource.group, resource.plural, request.method)
    return verb


def _subresource(target: Target) -> Mapping[str, Verb]:
    resource = target.resource
    verbs = _SUBRESOURCES.get((resource.key, target.subresource))
    if verbs is None and target.subresource == "status" and resource.status:
        verbs = _STATUS
    if verbs is None and target.subresource == "scale" and resource.scale is not None:
        verbs = _SCALE
    if verbs is None:
        raise no_such_path()
    return verbs


def _lacks_namespace(request: Request, target: Target) -> bool:
    """Whether something is made outside of the namespace that it needs."""
    return request.method == "POST" and target.resource.namespaced and not target.namespace


def _collection(request: Request, target: Target) -> Mapping[str, Verb]:
    resource = target.resource
    if request.method == "GET" and request.flag("watch"):
        return {"GET": watch}
    if _lacks_namespace(request, target):
        return {}
    if request.method == "DELETE" and not resource.collection_deletes:
        return {}
    return _COLLECTION


async def _not_yet(server: Server, request: Request, target: Target) -> Answer:
    what = f"{target.resource.plural}/{target.subresource}"
    message = f"{what} is listed for clients that look for it, but is not served here yet"
    raise StatusError(501, "NotImplemented", message, Details())


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
_STREAMED: Final[Mapping[str, Verb]] = {"GET": _not_yet, "POST": _not_yet}
_SCALE: Final[Mapping[str, Verb]] = {
    "GET": get_scale,
    "PUT": replace_scale,
    "PATCH": patch_scale,
}
_SUBRESOURCES: Final[Mapping[tuple[str, str], Mapping[str, Verb]]] = {
    ("pods", "attach"): _STREAMED,
    ("pods", "binding"): {"POST": bind},
    ("pods", "eviction"): {"POST": evict},
    ("pods", "exec"): _STREAMED,
    ("pods", "log"): {"GET": proxy.pod_log},
    ("pods", "portforward"): _STREAMED,
    ("namespaces", "finalize"): {"PUT": finalize},
    ("serviceaccounts", "token"): {"POST": _not_yet},
}
_POSTED: Final[Mapping[str, Mapping[str, Verb]]] = {
    "bindings": {"POST": bind_named},
    kinds.SELF_SUBJECT_REVIEW.key: {"POST": reviews.self_subject},
    kinds.TOKEN_REVIEW.key: {"POST": reviews.token},
    kinds.SUBJECT_ACCESS_REVIEW.key: {"POST": reviews.access},
    kinds.LOCAL_SUBJECT_ACCESS_REVIEW.key: {"POST": reviews.access},
    kinds.SELF_SUBJECT_ACCESS_REVIEW.key: {"POST": reviews.self_access},
    kinds.SELF_SUBJECT_RULES_REVIEW.key: {"POST": reviews.self_rules},
}
_LABELS: Final[Mapping[Verb, str]] = {
    list_: "LIST",
    watch: "WATCH",
    delete_collection: "DELETECOLLECTION",
}
"""Verbs that are counted under another name than their method's."""

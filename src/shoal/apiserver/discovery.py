"""Discovery: which groups, versions and kinds are served, in both forms that clients ask for."""

import re
from collections.abc import Sequence
from typing import Any, Final

from shoal.apiserver.aggregated import CONTENT_TYPE, aggregated
from shoal.apiserver.health import PATHS
from shoal.apiserver.http import Request, Response, answer, encode_json, page_not_found
from shoal.apiserver.registry import Registry
from shoal.apiserver.served import Served, is_builtin, served, versions
from shoal.dialect.document import Document
from shoal.dialect.status import no_such_path

_V2: Final = re.compile(r"v=v2\b")
_VARY: Final = (("vary", "Accept"),)


def roots(registry: Registry) -> Response:
    """``/``: the paths that lead further."""
    paths = ["/api", "/api/v1", "/apis"]
    for group, offered in versions(registry).items():
        if group:
            paths += [f"/apis/{group}", *(f"/apis/{group}/{version}" for version in offered)]
    paths += [f"/{name}" for name in (*PATHS, "metrics", "openapi/v2", "openapi/v3", "version")]
    return answer({"paths": sorted(paths)})


def core(registry: Registry, request: Request, rest: Sequence[str]) -> Response:
    """``/api`` and ``/api/v1``. Raises StatusError 404."""
    match rest:
        case []:
            if _wants_aggregated(request):
                return _aggregated(registry, "api")
            return _varying({"kind": "APIVersions", "versions": ["v1"], **_addresses(request)})
        case [version]:
            return _resources(registry, "", version)
    raise no_such_path()


def groups(registry: Registry, request: Request, rest: Sequence[str]) -> Response:
    """``/apis`` and what lies below, down to the kinds of a version. Raises StatusError 404."""
    offered = versions(registry)
    match rest:
        case []:
            if _wants_aggregated(request):
                return _aggregated(registry, "apis")
            found = [_group(group, offered[group]) for group in offered if group]
            return _varying({"kind": "APIGroupList", "apiVersion": "v1", "groups": found})
        case [group] if group in offered:
            return answer({"kind": "APIGroup", "apiVersion": "v1", **_group(group, offered[group])})
        case [group, version]:
            return _resources(registry, group, version)
    return unserved(registry, rest[0])


def unserved(registry: Registry, group: str) -> Response:
    """The 404 of a group, or of a version that it has not: plain but for Kubernetes' own groups.

    Raises StatusError 404.
    """
    if group in versions(registry) and is_builtin(group):
        raise no_such_path()
    return page_not_found()


def _resources(registry: Registry, group: str, version: str) -> Response:
    plurals = registry.group(group, version)
    if plurals is None:
        return unserved(registry, group)
    resources = [entry for one in served(plurals.values()) for entry in _entries(one)]
    group_version = f"{group}/{version}" if group else version
    head = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version}
    return answer({**head, "resources": resources})


def _addresses(request: Request) -> Document:
    address = {"clientCIDR": "0.0.0.0/0", "serverAddress": request.headers.get("host", "")}
    return {"serverAddressByClientCIDRs": [address]}


def _group(group: str, offered: Sequence[str]) -> Document:
    told = [{"groupVersion": f"{group}/{version}", "version": version} for version in offered]
    return {"name": group, "versions": told, "preferredVersion": told[0]}


def _entries(one: Served) -> list[Document]:
    resource = one.resource
    entry: dict[str, Any] = {
        "name": resource.plural,
        "singularName": one.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": one.verbs,
    }
    if resource.short_names:
        entry["shortNames"] = resource.short_names
    if resource.categories:
        entry["categories"] = resource.categories
    below = [
        {
            "name": f"{resource.plural}/{sub.name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            **({"group": sub.group, "version": sub.version} if sub.group else {}),
            "kind": sub.kind,
            "verbs": sub.verbs,
        }
        for sub in one.subresources
    ]
    return [entry, *below]


def _wants_aggregated(request: Request) -> bool:
    accept = request.headers.get("accept", "")
    return any(
        "as=APIGroupDiscoveryList" in part and "g=apidiscovery.k8s.io" in part and _V2.search(part)
        for part in accept.split(",")
    )


def _aggregated(registry: Registry, root: str) -> Response:
    body = encode_json(aggregated(registry, core=root == "api"))
    return Response(200, body, CONTENT_TYPE, _VARY)


def _varying(document: Document) -> Response:
    return Response(200, encode_json(document), headers=_VARY)

"""Discovery: which groups, versions and kinds are served, in both forms that clients ask for."""

import re
from collections.abc import Sequence
from typing import Any, Final

from shoal.apiserver import openapi
from shoal.apiserver.http import Answer, Request, Response, answer, encode_json
from shoal.apiserver.registry import Registry, Resource
from shoal.apiserver.server import Server
from shoal.dialect.status import no_such_path

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
_V2: Final = re.compile(r"v=v2\b")
_VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


def answer_path(server: Server, request: Request, segments: Sequence[str]) -> Answer:
    """Everything outside the kinds' own paths. Raises StatusError 404."""
    match list(segments):
        case ["version"]:
            return answer(VERSION)
        case ["healthz" | "livez" | "readyz", *_]:
            return Response(200, b"ok", "text/plain; charset=utf-8")
        case ["api" | "apis" as root] if _aggregated(request):
            return _aggregate(server, root)
        case ["openapi", "v2" | "v3" as version, *path]:
            return _openapi(server.registry, version, "/".join(path))
        case ["api", *rest] if len(rest) < 2:
            return _core(server.registry, rest)
        case ["apis", *rest] if len(rest) < 3:
            return _groups(server.registry, rest)
    raise no_such_path()


def _openapi(registry: Registry, version: str, path: str) -> Response:
    if version == "v2":
        return Response(200, openapi.EMPTY_V2, openapi.V2_TYPE)
    document = openapi.group_document(registry, path) if path else openapi.index(registry)
    if document is None:
        raise no_such_path()
    return answer(document)


def _core(registry: Registry, rest: Sequence[str]) -> Response:
    if rest:
        return _resources(registry, "", rest[0])
    return answer({"kind": "APIVersions", "versions": ["v1"]})


def _groups(registry: Registry, rest: Sequence[str]) -> Response:
    groups = {group: _group(group, version) for group, version in registry.groups() if group}
    if not rest:
        found = list(groups.values())
        return answer({"kind": "APIGroupList", "apiVersion": "v1", "groups": found})
    if len(rest) == 2:
        return _resources(registry, rest[0], rest[1])
    if rest[0] not in groups:
        raise no_such_path()
    return answer({"kind": "APIGroup", "apiVersion": "v1", **groups[rest[0]]})


def _group(group: str, version: str) -> dict[str, Any]:
    served = {"groupVersion": f"{group}/{version}", "version": version}
    return {"name": group, "versions": [served], "preferredVersion": served}


def _resources(registry: Registry, group: str, version: str) -> Response:
    plurals = registry.group(group, version)
    if plurals is None:
        raise no_such_path()
    resources = [entry for resource in plurals.values() for entry in _entries(resource)]
    group_version = f"{group}/{version}" if group else version
    head = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version}
    return answer({**head, "resources": resources})


def _entries(resource: Resource) -> list[dict[str, Any]]:
    entry: dict[str, Any] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": sorted(_verbs(resource)),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    return [
        entry,
        *(
            {
                "name": f"{resource.plural}/{name}",
                "singularName": "",
                "namespaced": resource.namespaced,
                "kind": kind,
                "verbs": verbs,
            }
            for name, kind, verbs in _subresources(resource)
        ),
    ]


def _verbs(resource: Resource) -> list[str]:
    return [v for v in _VERBS if v != "deletecollection" or resource.collection_deletes]


def _subresources(resource: Resource) -> list[tuple[str, str, list[str]]]:
    found = [(name, kind, [verb]) for name, kind, verb in resource.other_subresources]
    if resource.status:
        found.append(("status", resource.kind, ["get", "patch", "update"]))
    return sorted(found)


def _aggregated(request: Request) -> bool:
    accept = request.headers.get("accept", "")
    return any(
        "as=APIGroupDiscoveryList" in part and "g=apidiscovery.k8s.io" in part and _V2.search(part)
        for part in accept.split(",")
    )


def _aggregate(server: Server, root: str) -> Response:
    groups = [g for g in server.registry.groups() if bool(g[0]) == (root == "apis")]
    document = {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": [_aggregate_group(server, *group) for group in groups],
    }
    media_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    return Response(200, encode_json(document), media_type)


def _aggregate_group(server: Server, group: str, version: str) -> dict[str, Any]:
    plurals = server.registry.group(group, version) or {}
    return {
        "metadata": {"name": group, "creationTimestamp": None}
        if group
        else {"creationTimestamp": None},
        "versions": [
            {
                "version": version,
                "freshness": "Current",
                "resources": [_aggregate_resource(resource) for resource in plurals.values()],
            }
        ],
    }


def _aggregate_resource(resource: Resource) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "resource": resource.plural,
        "responseKind": _kind_of(resource, resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": sorted(_verbs(resource)),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    if subresources := _subresources(resource):
        entry["subresources"] = [
            {"subresource": name, "responseKind": _kind_of(resource, kind), "verbs": verbs}
            for name, kind, verbs in subresources
        ]
    return entry


def _kind_of(resource: Resource, kind: str) -> dict[str, str]:
    return {"group": resource.group, "version": resource.version, "kind": kind}

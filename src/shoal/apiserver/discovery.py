"""Discovery: which groups, versions and kinds are served, in both forms that clients ask for."""

from collections.abc import Sequence
from typing import Any, Final

from shoal.apiserver import openapi
from shoal.apiserver.http import Answer, Request, Response, answer
from shoal.apiserver.registry import Resource
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
_VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")


def answer_path(server: Server, request: Request, segments: Sequence[str]) -> Answer:
    """Everything outside the kinds' own paths. Raises StatusError 404."""
    match list(segments):
        case ["version"]:
            return answer(VERSION)
        case ["healthz" | "livez" | "readyz", *_]:
            return Response(200, b"ok", "text/plain; charset=utf-8")
        case ["api" | "apis" as root] if _aggregated(request):
            return _aggregate(server, request, root)
        case ["api"]:
            return answer({"kind": "APIVersions", "versions": ["v1"]})
        case ["apis"]:
            groups = [_group(g, v) for g, v in server.registry.groups() if g]
            return answer({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        case ["apis", group]:
            for name, version in server.registry.groups():
                if name == group and group:
                    return answer({"kind": "APIGroup", "apiVersion": "v1", **_group(name, version)})
        case ["openapi", "v3"]:
            return answer(openapi.index(server.registry))
        case ["openapi", "v3", *path]:
            document = openapi.group_document(server.registry, "/".join(path))
            if document is not None:
                return answer(document)
        case ["api", version]:
            return _resources(server, "", version)
        case ["apis", group, version]:
            return _resources(server, group, version)
    raise no_such_path()


def _group(group: str, version: str) -> dict[str, Any]:
    served = {"groupVersion": f"{group}/{version}", "version": version}
    return {"name": group, "versions": [served], "preferredVersion": served}


def _resources(server: Server, group: str, version: str) -> Response:
    plurals = server.registry.group(group, version)
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
    return [entry, *(
        {
            "name": f"{resource.plural}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": kind,
            "verbs": verbs,
        }
        for name, kind, verbs in _subresources(resource)
    )]


def _verbs(resource: Resource) -> list[str]:
    return [v for v in _VERBS if v != "deletecollection" or resource.collection_deletes]


def _subresources(resource: Resource) -> list[tuple[str, str, list[str]]]:
    found = [(name, kind, [verb]) for name, kind, verb in resource.other_subresources]
    if resource.status:
        found.append(("status", resource.kind, ["get", "patch", "update"]))
    return sorted(found)


def _aggregated(request: Request) -> bool:
    accept = request.headers.get("accept", "")
    return "as=APIGroupDiscoveryList" in accept and "g=apidiscovery.k8s.io" in accept


def _aggregate(server: Server, request: Request, root: str) -> Response:
    accept = request.headers.get("accept", "")
    version = "v2" if "v=v2;" in accept or "v=v2," in accept or accept.endswith("v=v2") else "v2beta1"
    groups = [g for g in server.registry.groups() if bool(g[0]) == (root == "apis")]
    document = {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{version}",
        "metadata": {},
        "items": [_aggregate_group(server, *group) for group in groups],
    }
    reply = answer(document)
    media_type = f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
    return Response(200, reply.body, media_type)


def _aggregate_group(server: Server, group: str, version: str) -> dict[str, Any]:
    plurals = server.registry.group(group, version) or {}
    return {
        "metadata": {"name": group, "creationTimestamp": None} if group else {"creationTimestamp": None},
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

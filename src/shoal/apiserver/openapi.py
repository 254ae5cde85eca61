"""OpenAPI v3, as much as kubectl reads: which group documents there are, and that writes take
``fieldValidation``. Unknown fields are found by the server, so no schemas are given.

Of a kind that no v3 document has, kubectl looks for a schema in v2 before it asks which kinds
there are, so there is an empty v2 document for it.
"""

from typing import Any, Final

from shoal.apiserver.registry import Registry, Resource

_TEXT: Final = {"type": "string", "uniqueItems": True}
_WRITE_QUERY: Final = ("dryRun", "fieldManager", "fieldValidation")
_BODY: Final = {"content": {"application/json": {"schema": {"type": "object"}}}}
_ANSWERS: Final = {"200": {"description": "OK", **_BODY}}


EMPTY_V2: Final = b"\n\x032.0\x12\x0b\n\x05shoal\x12\x02v1"
"""openapi.v2.Document with swagger "2.0" and info {title "shoal", version "v1"}, as protobuf.
Source: https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto
"""
V2_TYPE: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"


def index(registry: Registry) -> dict[str, Any]:
    """``/openapi/v3``: the group documents by path."""
    return {
        "paths": {
            path: {"serverRelativeURL": f"/openapi/v3/{path}"}
            for path in (_path(group, version) for group, version in registry.groups())
        }
    }


def group_document(registry: Registry, path: str) -> dict[str, Any] | None:
    """``/openapi/v3/<path>``: the document of one group; None where there is none."""
    for group, version in registry.groups():
        if _path(group, version) == path:
            resources = (registry.group(group, version) or {}).values()
            return _document(f"/{path}", list(resources))
    return None


def _path(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else f"api/{version}"


def _document(root: str, resources: list[Resource]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for resource in resources:
        scope = "/namespaces/{namespace}" if resource.namespaced else ""
        collection = f"{root}{scope}/{resource.plural}"
        paths[collection] = {"post": _write(resource, "post")}
        paths[f"{collection}/{{name}}"] = {
            "put": _write(resource, "put"),
            "patch": _write(resource, "patch"),
        }
    schemas = {_schema_name(resource): _schema(resource) for resource in resources}
    return {
        "openapi": "3.0.0",
        "info": {"title": "shoal", "version": "v1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _write(resource: Resource, action: str) -> dict[str, Any]:
    return {
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _kind(resource),
        "parameters": [{"name": name, "in": "query", "schema": _TEXT} for name in _WRITE_QUERY],
        "requestBody": _BODY,
        "responses": _ANSWERS,
    }


def _schema(resource: Resource) -> dict[str, Any]:
    return {
        "type": "object",
        "x-kubernetes-group-version-kind": [_kind(resource)],
        "x-kubernetes-preserve-unknown-fields": True,
    }


def _schema_name(resource: Resource) -> str:
    return f"{resource.group or 'core'}.{resource.version}.{resource.kind}"


def _kind(resource: Resource) -> dict[str, str]:
    return {"group": resource.group, "version": resource.version, "kind": resource.kind}

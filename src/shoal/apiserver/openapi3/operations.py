"""The paths of OpenAPI documents: which verbs a kind takes, and with which parameters."""

from typing import Any, Final

from shoal.apiserver.openapi3.components import (
    DELETE_OPTIONS,
    STATUS,
    component_below,
    component_of,
    kind_of,
    list_of,
    reference,
)
from shoal.apiserver.registry import Resource
from shoal.apiserver.served import Served
from shoal.dialect.document import Document
from shoal.dialect.schema import Subresource, types

_TEXT: Final = {"type": "string", "uniqueItems": True}
_FLAG: Final = {"type": "boolean", "uniqueItems": True}
_NUMBER: Final = {"type": "integer", "uniqueItems": True}
_PRETTY: Final = {"pretty": _TEXT}
_CREATE: Final = {"dryRun": _TEXT, "fieldManager": _TEXT, "fieldValidation": _TEXT}
_PATCH: Final = {**_CREATE, "force": _FLAG}
_LIST: Final = {
    "allowWatchBookmarks": _FLAG,
    "continue": _TEXT,
    "fieldSelector": _TEXT,
    "labelSelector": _TEXT,
    "limit": _NUMBER,
    "resourceVersion": _TEXT,
    "resourceVersionMatch": _TEXT,
    "sendInitialEvents": _FLAG,
    "timeoutSeconds": _NUMBER,
    "watch": _FLAG,
}
_DELETE: Final = {
    "dryRun": _TEXT,
    "gracePeriodSeconds": _NUMBER,
    "orphanDependents": _FLAG,
    "propagationPolicy": _TEXT,
}
_GIVEN: Final = ("application/json", "application/yaml")
_PATCHES: Final = (
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
)
_STRATEGIC: Final = "application/strategic-merge-patch+json"
"""What Kubernetes' own kinds take besides."""


_METHODS: Final = {"create": "post", "get": "get", "patch": "patch", "update": "put"}


def paths_of(root: str, one: Served) -> dict[str, Document]:
    """The paths of a kind below ``root``, such as ``/apis/batch/v1``."""
    resource = one.resource
    below = f"{root}/namespaces/{{namespace}}" if resource.namespaced else root
    collection = f"{below}/{resource.plural}"
    found = {collection: _collection(one)}
    if not resource.stored:
        return found
    if resource.namespaced:
        found[f"{root}/{resource.plural}"] = {"get": _list(resource)}
    found[f"{collection}/{{name}}"] = _object(one)
    for sub in one.subresources:
        if operations := _below(resource, sub):
            path = f"{collection}/{{name}}/{sub.name}"
            found[path] = _item(resource, operations, named=True)
    return found


def _below(resource: Resource, sub: Subresource) -> dict[str, Document]:
    """The operations of a subresource; none of one that is a stream."""
    name = component_below(resource, sub)
    if not name or sub.name == "log":
        return {}
    made = {
        "get": lambda: _operation(resource, "get", _PRETTY, name),
        "create": lambda: _with_body(resource, "post", _CREATE, name),
        "update": lambda: _with_body(resource, "put", _CREATE, name),
        "patch": lambda: _patch(resource, name),
    }
    return {_METHODS[verb]: made[verb]() for verb in sub.verbs if verb in made}


def _collection(one: Served) -> Document:
    resource, operations = one.resource, dict[str, Document]()
    if "list" in one.verbs:
        operations["get"] = _list(resource)
    if "create" in one.verbs:
        operations["post"] = _with_body(resource, "post", _CREATE, component_of(resource))
    if "deletecollection" in one.verbs:
        operations["delete"] = _delete(resource, "deletecollection", {**_LIST, **_DELETE})
    return _item(resource, operations, named=False)


def _object(one: Served) -> Document:
    resource, name = one.resource, component_of(one.resource)
    operations = {
        "get": _operation(resource, "get", _PRETTY, name),
        "put": _with_body(resource, "put", _CREATE, name),
        "patch": _patch(resource, name),
        "delete": _delete(resource, "delete", _DELETE),
    }
    return _item(resource, operations, named=True)


def _item(resource: Resource, operations: dict[str, Document], *, named: bool) -> Document:
    names = ["namespace"] if resource.namespaced else []
    names += ["name"] if named else []
    parameters = [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in names]
    return {**operations, **({"parameters": parameters} if parameters else {})}


def _list(resource: Resource) -> Document:
    return _operation(resource, "list", _LIST, list_of(resource))


def _with_body(resource: Resource, action: str, query: Document, name: str) -> Document:
    operation = _operation(resource, action, query, name, ("200", "201"))
    body = {"*/*": {"schema": reference(name)}}
    return {**operation, "requestBody": {"required": True, "content": body}}


def _patch(resource: Resource, name: str) -> Document:
    taken = (*_PATCHES, _STRATEGIC) if resource.type_name in types() else _PATCHES
    content: dict[str, Any] = {kind: {"schema": {"type": "object"}} for kind in taken}
    content["application/json-patch+json"] = {
        "schema": {"type": "array", "items": {"type": "object"}}
    }
    operation = _operation(resource, "patch", _PATCH, name)
    return {**operation, "requestBody": {"required": True, "content": content}}


def _delete(resource: Resource, action: str, query: Document) -> Document:
    name = component_of(resource) if resource.delete_answers_object else STATUS
    operation = _operation(resource, action, query, name, ("200", "202"))
    body = {"*/*": {"schema": reference(DELETE_OPTIONS)}}
    return {**operation, "requestBody": {"content": body}}


def _operation(
    resource: Resource,
    action: str,
    query: Document,
    name: str,
    codes: tuple[str, ...] = ("200",),
) -> Document:
    """What an operation takes in its query, and the schema of its answers."""
    answer = {kind: {"schema": reference(name)} for kind in _GIVEN}
    return {
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": kind_of(resource),
        "parameters": [
            {"name": name, "in": "query", "schema": kind} for name, kind in query.items()
        ],
        "responses": {code: {"description": "done", "content": answer} for code in codes},
    }

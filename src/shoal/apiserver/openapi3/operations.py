"""The paths of OpenAPI documents: which verbs a kind takes, and with which parameters."""

from typing import Any, Final

from shoal.apiserver.openapi3.components import (
    DELETE_OPTIONS,
    STATUS,
    component_of,
    kind_of,
    list_of,
    reference,
)
from shoal.apiserver.registry import Resource
from shoal.apiserver.served import Served
from shoal.dialect.document import Document

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
    "application/strategic-merge-patch+json",
)


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
    if any(sub.name == "status" for sub in one.subresources):
        operations = {
            "get": _operation(resource, "get", _PRETTY),
            "put": _with_body(resource, "put", _CREATE),
            "patch": _patch(resource),
        }
        found[f"{collection}/{{name}}/status"] = _item(resource, operations, named=True)
    return found


def _collection(one: Served) -> Document:
    resource, operations = one.resource, dict[str, Document]()
    if "list" in one.verbs:
        operations["get"] = _list(resource)
    if "create" in one.verbs:
        operations["post"] = _with_body(resource, "post", _CREATE)
    if "deletecollection" in one.verbs:
        operations["delete"] = _delete(resource, "deletecollection", {**_LIST, **_DELETE})
    return _item(resource, operations, named=False)


def _object(one: Served) -> Document:
    resource = one.resource
    operations = {
        "get": _operation(resource, "get", _PRETTY),
        "put": _with_body(resource, "put", _CREATE),
        "patch": _patch(resource),
        "delete": _delete(resource, "delete", _DELETE),
    }
    return _item(resource, operations, named=True)


def _item(resource: Resource, operations: dict[str, Document], *, named: bool) -> Document:
    names = ["namespace"] if resource.namespaced else []
    names += ["name"] if named else []
    parameters = [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in names]
    return {**operations, **({"parameters": parameters} if parameters else {})}


def _list(resource: Resource) -> Document:
    operation = _operation(resource, "list", _LIST)
    operation["responses"] = _answers("200", list_of(resource))
    return operation


def _with_body(resource: Resource, action: str, query: Document) -> Document:
    operation = _operation(resource, action, query)
    body = {"*/*": {"schema": reference(component_of(resource))}}
    operation["requestBody"] = {"required": True, "content": body}
    codes = ("200", "201") if action != "post" or resource.stored else ("201",)
    operation["responses"] = _answers_of(codes, component_of(resource))
    return operation


def _patch(resource: Resource) -> Document:
    operation = _operation(resource, "patch", _PATCH)
    content: dict[str, Any] = {kind: {"schema": {"type": "object"}} for kind in _PATCHES}
    content["application/json-patch+json"] = {
        "schema": {"type": "array", "items": {"type": "object"}}
    }
    operation["requestBody"] = {"required": True, "content": content}
    return operation


def _delete(resource: Resource, action: str, query: Document) -> Document:
    operation = _operation(resource, action, query)
    operation["requestBody"] = {"content": {"*/*": {"schema": reference(DELETE_OPTIONS)}}}
    name = component_of(resource) if resource.delete_answers_object else STATUS
    operation["responses"] = _answers_of(("200", "202"), name)
    return operation


def _operation(resource: Resource, action: str, query: Document) -> Document:
    return {
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": kind_of(resource),
        "parameters": [
            {"name": name, "in": "query", "schema": kind} for name, kind in query.items()
        ],
        "responses": _answers("200", component_of(resource)),
    }


def _answers_of(codes: tuple[str, ...], name: str) -> Document:
    found: Document = {}
    for code in codes:
        found |= _answers(code, name)
    return found


def _answers(code: str, name: str) -> Document:
    content = {kind: {"schema": reference(name)} for kind in _GIVEN}
    return {code: {"description": "it was done", "content": content}}

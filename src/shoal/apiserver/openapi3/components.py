"""The component schemas of OpenAPI documents, made from the schema table."""

from collections.abc import Iterable
from typing import Any, Final

from shoal.apiserver.openapi3.words import HEAD, IDENTITY, WORDS
from shoal.apiserver.registry import Resource
from shoal.apiserver.served import Served
from shoal.dialect import schema
from shoal.dialect.document import Document
from shoal.dialect.schema import Field, Subresource

_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"
OBJECT_META: Final = f"{_META}.ObjectMeta"
DELETE_OPTIONS: Final = f"{_META}.DeleteOptions"
STATUS: Final = f"{_META}.Status"
_BESIDES: Final = ("meta.v1.ObjectMeta", "meta.v1.DeleteOptions", "meta.v1.Status")
_LIST_META: Final = {
    "type": "object",
    "properties": {
        name: {"type": kind}
        for name, kind in (
            ("continue", "string"),
            ("remainingItemCount", "integer"),
            ("resourceVersion", "string"),
        )
    },
}


def components(kinds: Iterable[Served]) -> dict[str, Document]:
    """The schemas of some kinds, of their lists, and of all that these mention, by name."""
    made: dict[str, Document] = {}
    wanted = list(_BESIDES)
    for one in kinds:
        resource = one.resource
        name, short = component_of(resource), resource.type_name
        wanted += filter(None, (_type_below(resource, sub) for sub in one.subresources))
        if short in schema.types():
            wanted.append(short)
            made[name] = _tagged(_type(short), resource)
        else:
            made[name] = _tagged(_custom(resource), resource)
        if resource.stored:
            made[list_of(resource)] = _list(resource, name)
    made.update(_reached(wanted, made))
    return dict(sorted(made.items()))


def component_of(resource: Resource) -> str:
    """The name of a kind's schema: ``io.k8s.api.batch.v1.Job``, ``dev.shoal.v1alpha1.Run``."""
    if resource.type_name in schema.types():
        return _long(resource.type_name)
    domain = ".".join(reversed(resource.group.split(".")))
    return f"{domain}.{resource.version}.{resource.kind}"


def component_below(resource: Resource, sub: Subresource) -> str:
    """The name of the schema of what a subresource takes; empty where that is no object."""
    if sub.kind == resource.kind and not sub.group:
        return component_of(resource)
    short = _type_below(resource, sub)
    return _long(short) if short else ""


def list_of(resource: Resource) -> str:
    """The name of the schema of a kind's lists."""
    return component_of(resource).removesuffix(resource.kind) + resource.list_kind


def reference(name: str) -> Document:
    """A reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def kind_of(resource: Resource, kind: str = "") -> dict[str, str]:
    """Group, version and kind, or another kind beside it, as OpenAPI documents carry them."""
    return {
        "group": resource.group,
        "version": resource.version,
        "kind": kind or resource.kind,
    }


def _type_below(resource: Resource, sub: Subresource) -> str:
    group, version = (sub.group, sub.version) if sub.group else (resource.group, resource.version)
    short = schema.type_name(group, version, sub.kind)
    return short if short in schema.types() else ""


def _tagged(described: Document, resource: Resource) -> Document:
    """The schema of a whole object, with words for what every object has and its kind.

    What a user's kind says of its own fields is told, and nothing else.
    """
    words = HEAD if resource.structure is None else IDENTITY
    properties = {
        name: {"description": words[name], **field} if name in words else field
        for name, field in described["properties"].items()
    }
    tags = [kind_of(resource)]
    return {**described, "properties": properties, "x-kubernetes-group-version-kind": tags}


def _custom(resource: Resource) -> Document:
    given = resource.schema or {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    head = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"allOf": [reference(OBJECT_META)], "default": {}},
    }
    return {**given, "properties": {**given.get("properties", {}), **head}}


def _list(resource: Resource, name: str) -> Document:
    return {
        "type": "object",
        "description": f"A list of objects of kind {resource.kind}.",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": _LIST_META,
            "items": {"type": "array", "items": reference(name)},
        },
        "x-kubernetes-group-version-kind": [kind_of(resource, resource.list_kind)],
    }


def _reached(wanted: list[str], made: dict[str, Document]) -> dict[str, Document]:
    """The types by long name that some types mention, directly or not, and they themselves."""
    found: dict[str, Document] = {}
    seen: set[str] = set()
    while wanted:
        short = wanted.pop()
        if short in seen:
            continue
        seen.add(short)
        if short in _LEAVES:
            name, described = _LEAVES[short]
            found[name] = described
            continue
        if _long(short) not in made:
            found[_long(short)] = _type(short)
        inner = (_bare(field.type) for field in schema.types()[short].fields.values())
        wanted += [name for name in inner if name in _LEAVES or name in schema.types()]
    return found


def _type(short: str) -> Document:
    made = schema.types()[short]
    described: Document = {"type": "object"}
    if words := WORDS.get(short):
        described["description"] = words
    described["properties"] = {name: _field(field) for name, field in made.fields.items()}
    if made.required:
        described["required"] = list(made.required)
    return described


def _field(field: Field) -> Document:
    described = _value(field.type)
    notes = {
        theirs: _plain(getattr(field, ours))
        for ours, theirs in _NOTES.items()
        if getattr(field, ours)
    }
    default = field.default if field.default is not None else _zero(field)
    if "$ref" in described:
        described = {"allOf": [described]}
    if default is not None:
        notes["default"] = default
    return {**described, **notes}


def _value(type_: str) -> Document:
    if type_.startswith("[]"):
        return {"type": "array", "items": _value(type_[2:])}
    if type_.startswith("{}"):
        return {"type": "object", "additionalProperties": _value(type_[2:])}
    if type_ in _LEAVES:
        return reference(_LEAVES[type_][0])
    return dict(_SCALARS[type_]) if type_ in _SCALARS else reference(_long(type_))


def _zero(field: Field) -> Any:  # noqa: ANN401
    """The empty value of a field that is always written; None for one that is not."""
    if not field.zero:
        return None
    if field.type.startswith("[]"):
        return []
    return _ZEROS.get(field.type, {})


def _plain(value: Any) -> Any:  # noqa: ANN401
    return list(value) if isinstance(value, tuple) else value


def _bare(type_: str) -> str:
    return type_.replace("[]", "").replace("{}", "")


def _long(short: str) -> str:
    package = short.partition(".")[0]
    return f"{_PACKAGES.get(package, 'io.k8s.api')}.{short}"


_PACKAGES: Final = {
    "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis",
    "meta": "io.k8s.apimachinery.pkg.apis",
    "runtime": "io.k8s.apimachinery.pkg",
}
_SCALARS: Final[dict[str, Document]] = {
    "any": {},
    "bytes": {"type": "string", "format": "byte"},
    "flag": {"type": "boolean"},
    "number": {"type": "number", "format": "double"},
    "object": {"type": "object"},
    "text": {"type": "string"},
    "whole": {"type": "integer", "format": "int64"},
    "whole32": {"type": "integer", "format": "int32"},
}
_ZEROS: Final = {"flag": False, "number": 0, "text": "", "whole": 0, "whole32": 0}
_LEAVES: Final[dict[str, tuple[str, Document]]] = {
    "amount": (
        "io.k8s.apimachinery.pkg.api.resource.Quantity",
        {"oneOf": [{"type": "string"}, {"type": "number"}]},
    ),
    "microtime": (f"{_META}.MicroTime", {"type": "string", "format": "date-time"}),
    "time": (f"{_META}.Time", {"type": "string", "format": "date-time"}),
    "whole or text": (
        "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
        {"oneOf": [{"type": "integer"}, {"type": "string"}], "format": "int-or-string"},
    ),
}
_NOTES: Final = {
    "enum": "enum",
    "list_keys": "x-kubernetes-list-map-keys",
    "list_type": "x-kubernetes-list-type",
    "map_type": "x-kubernetes-map-type",
    "merge_key": "x-kubernetes-patch-merge-key",
    "merge_strategy": "x-kubernetes-patch-strategy",
}

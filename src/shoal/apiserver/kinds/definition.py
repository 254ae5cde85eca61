"""Rules of CustomResourceDefinition: what a definition must say before its kind is served."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from shoal.api.meta import GROUP
from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.names import wrong_label, wrong_subdomain
from shoal.dialect.paths import dig
from shoal.dialect.scalars import Misfit
from shoal.dialect.status import (
    INVALID,
    NOT_SUPPORTED,
    REQUIRED,
    Cause,
    bad_request,
    forbidden,
)
from shoal.dialect.structural.columns import wrong_path
from shoal.dialect.structural.definition import fit_schema, schema_causes

DEFINITIONS: Final = "customresourcedefinitions.apiextensions.k8s.io"
CLEANUP: Final = "customresourcecleanup.apiextensions.k8s.io"
"""The finalizer that holds a definition until its objects are gone."""

_GROUP, _PLURAL = "apiextensions.k8s.io", "customresourcedefinitions"
_APPROVED: Final = "api-approved.kubernetes.io"
_PROTECTED: Final = re.compile(r"(.*\.)?(k8s|kubernetes)\.io\Z")
_KIND: Final = re.compile(r"[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?\Z")
_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_LONGEST_WARNING: Final = 256
_SCOPES: Final = ("Cluster", "Namespaced")


def cells(document: Document, now: int) -> list[Any]:
    """Name, Created At."""
    metadata = document["metadata"]
    return [metadata["name"], metadata.get("creationTimestamp")]


def admit_definition(document: Document, world: World) -> list[str]:
    """Complete and check a new definition. Raises StatusError 422 or 403."""
    spec = _spec(document)
    _check_ours(document)
    _complete(spec)
    stored = [v["name"] for v in spec.get("versions") or () if v.get("storage")]
    document["status"] = {
        "conditions": [],
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": stored,
    }
    causes = list(_causes(document))
    if len(stored) != 1:
        told = "takes the one version that is stored"
        causes.append(Cause(INVALID, told, "status.storedVersions"))
    _refuse(document, causes)
    return []


def change_definition(new: Document, old: Document) -> None:
    """Check a new version of a definition. Raises StatusError 422 or 403."""
    _check_ours(new)
    spec, before = _spec(new), old["spec"]
    _complete(spec)
    causes = list(_causes(new))
    for field in ("group", "scope"):
        if spec.get(field) != before.get(field):
            causes.append(Cause(INVALID, "cannot change", f"spec.{field}"))
    causes += _stored_causes(new)
    _refuse(new, causes)
    stored = new.setdefault("status", {}).setdefault("storedVersions", [])
    stored += [v["name"] for v in spec["versions"] if v.get("storage") and v["name"] not in stored]


def change_definition_status(new: Document, old: Document) -> None:
    """Check a new status. Raises StatusError 422 or 403."""
    _check_ours(new)
    _refuse(new, _stored_causes(new))


def mark_definition_deleted(document: Document) -> None:
    """Hold it until its objects are gone. Raises StatusError 403 for one of ours."""
    _check_ours(document)
    held = document["metadata"].setdefault("finalizers", [])
    if CLEANUP not in held:
        held.append(CLEANUP)


def _check_ours(document: Document) -> None:
    """The kinds that shoal is made of are no user's to change."""
    if dig(document, "spec", "group") == GROUP:
        why = f"the kinds of {GROUP} are shoal's own; define yours in another group"
        raise forbidden(_GROUP, _PLURAL, document["metadata"].get("name", ""), why)


def _spec(document: Document) -> Document:
    spec = document.get("spec")
    if isinstance(spec, dict):
        return spec
    cause = Cause(REQUIRED, "says which kind is defined", "spec")
    _refuse(document, [cause])
    raise AssertionError


def _refuse(document: Document, causes: list[Cause] | Iterator[Cause]) -> None:
    refuse(_GROUP, "CustomResourceDefinition", document, causes)


def _complete(spec: Document) -> None:
    """The names that follow from the kind, and the only conversion there is."""
    names = spec.setdefault("names", {})
    if kind := names.get("kind"):
        names.setdefault("singular", kind.lower())
        names.setdefault("listKind", f"{kind}List")
    spec.setdefault("conversion", {"strategy": "None"})


def _causes(document: Document) -> Iterator[Cause]:
    spec = document["spec"]
    yield from _place_causes(document["metadata"], spec)
    yield from _name_causes(spec.get("names") or {})
    if dig(spec, "conversion", "strategy") not in (None, "None"):
        told = "only None is supported here: versions differ in nothing but their name"
        yield Cause(NOT_SUPPORTED, told, "spec.conversion.strategy")
    if spec.get("preserveUnknownFields"):
        told = "must be false; put x-kubernetes-preserve-unknown-fields into the schema"
        yield Cause(INVALID, told, "spec.preserveUnknownFields")
    yield from _versions_causes(spec.get("versions") or [])


def _place_causes(metadata: Document, spec: Document) -> Iterator[Cause]:
    group, plural = spec.get("group") or "", dig(spec, "names", "plural") or ""
    if not group:
        yield Cause(REQUIRED, "example: example.com", "spec.group")
    elif wrong := wrong_subdomain(group):
        yield Cause(INVALID, wrong, "spec.group")
    elif "." not in group:
        yield Cause(INVALID, "must be a domain with a dot; example: example.com", "spec.group")
    elif _PROTECTED.match(group) and _APPROVED not in (metadata.get("annotations") or {}):
        told = f"groups of {group} need it; use a group of your own"
        yield Cause(REQUIRED, told, f"metadata.annotations[{_APPROVED}]")
    if plural and group and metadata.get("name") != f"{plural}.{group}":
        yield Cause(INVALID, f"must be {plural}.{group}", "metadata.name")
    if (scope := spec.get("scope")) not in _SCOPES:
        reason = NOT_SUPPORTED if scope else REQUIRED
        yield Cause(reason, f"takes one of {', '.join(_SCOPES)}", "spec.scope")


def _name_causes(names: Mapping[str, Any]) -> Iterator[Cause]:
    for field in ("plural", "singular"):
        if (name := names.get(field)) and (wrong := wrong_label(name)):
            yield Cause(INVALID, wrong, f"spec.names.{field}")
    if not names.get("plural"):
        yield Cause(REQUIRED, "example: widgets", "spec.names.plural")
    for field in ("kind", "listKind"):
        name = names.get(field)
        if not name:
            yield Cause(REQUIRED, "example: Widget", f"spec.names.{field}")
        elif not _KIND.match(name) or len(name) > 63:
            yield Cause(
                INVALID, f"{name[:70]!r} is no kind; example: Widget", f"spec.names.{field}"
            )
    for field in ("shortNames", "categories"):
        for index, name in enumerate(names.get(field) or ()):
            if wrong := wrong_label(name):
                yield Cause(INVALID, wrong, f"spec.names.{field}[{index}]")


def _versions_causes(versions: list[Document]) -> Iterator[Cause]:
    names = [version.get("name") or "" for version in versions]
    if sum(1 for version in versions if version.get("storage")) != 1:
        yield Cause(INVALID, "exactly one version has storage: true", "spec.versions")
    if len(set(names)) < len(names):
        yield Cause(INVALID, "each version is given once", "spec.versions")
    schemas = [dig(version, "schema", "openAPIV3Schema") for version in versions]
    same = all(schema == schemas[0] for schema in schemas)
    for schema in schemas:
        _fit(schema)
    for index, (version, schema) in enumerate(zip(versions, schemas, strict=True)):
        at = f"spec.versions[{index}]"
        if wrong := wrong_label(names[index]):
            yield Cause(INVALID, wrong, f"{at}.name")
        yield from _version_causes(version, at)
        if schema is None:
            yield Cause(REQUIRED, "says what objects hold", f"{at}.schema.openAPIV3Schema")
        elif not same:
            yield from schema_causes(schema, f"{at}.schema.openAPIV3Schema")
    if same and schemas and schemas[0] is not None:
        yield from schema_causes(schemas[0], "spec.validation.openAPIV3Schema")


def _fit(schema: Document | None) -> None:
    """Raises StatusError 400 for a schema that cannot be read."""
    try:
        fit_schema(schema or {})
    except Misfit as misfit:
        raise bad_request(f"a schema cannot be read: {misfit}") from misfit


def _version_causes(version: Document, at: str) -> Iterator[Cause]:
    if (warning := version.get("deprecationWarning")) is not None:
        yield from _warning_causes(version, warning, f"{at}.deprecationWarning")
    for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
        place = f"{at}.additionalPrinterColumns[{index}]"
        if column.get("type") not in _COLUMN_TYPES:
            told = f"takes one of {', '.join(_COLUMN_TYPES)}"
            yield Cause(NOT_SUPPORTED, told, f"{place}.type")
        if wrong := wrong_path(column.get("jsonPath") or ""):
            yield Cause(INVALID, wrong, f"{place}.jsonPath")
    for index, selectable in enumerate(version.get("selectableFields") or ()):
        path = selectable.get("jsonPath") or ""
        if wrong := wrong_path(path, plain=True):
            yield Cause(INVALID, wrong, f"{at}.selectableFields[{index}].jsonPath")
    if scale := dig(version, "subresources", "scale"):
        for field in ("specReplicasPath", "statusReplicasPath"):
            if wrong := wrong_path(scale.get(field) or "", plain=True):
                yield Cause(INVALID, wrong, f"{at}.subresources.scale.{field}")


def _warning_causes(version: Document, warning: str, at: str) -> Iterator[Cause]:
    if not version.get("deprecated"):
        yield Cause(INVALID, "is only for a version with deprecated: true", at)
    if not 0 < len(warning) <= _LONGEST_WARNING or not warning.isprintable():
        yield Cause(INVALID, f"is 1 to {_LONGEST_WARNING} letters on one line", at)


def _stored_causes(document: Document) -> list[Cause]:
    names = {version["name"] for version in document["spec"].get("versions") or ()}
    stored = dig(document, "status", "storedVersions") or []
    return [
        Cause(
            INVALID,
            f"{name} is stored and must stay in spec.versions",
            f"status.storedVersions[{index}]",
        )
        for index, name in enumerate(stored)
        if name not in names
    ]

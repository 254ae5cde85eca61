"""Definitions to served kinds: one ``Resource`` for each served version."""

import copy
from collections.abc import Callable
from typing import Any

from shoal.apiserver.kinds.cells import name_of
from shoal.apiserver.registry import Face, Resource, ScalePaths, World
from shoal.dialect.document import Document
from shoal.dialect.names import metadata_causes, wrong_subdomain
from shoal.dialect.paths import dig
from shoal.dialect.status import Details, StatusError, invalid
from shoal.dialect.structural.columns import column_cell, dotted
from shoal.dialect.structural.structure import Structure
from shoal.dialect.table import NAME, Column
from shoal.dialect.versions import rank

_AGE = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}


def resources_of(definition: Document) -> list[Resource]:
    """The served versions of an accepted definition."""
    versions = definition["spec"]["versions"]
    return [_resource(definition, version) for version in versions if version.get("served")]


def _resource(definition: Document, version: Document) -> Resource:
    spec, names = definition["spec"], definition["spec"]["names"]
    schema = version["schema"]["openAPIV3Schema"]
    structure = Structure(schema)
    columns = version.get("additionalPrinterColumns") or [_AGE]
    group, kind = spec["group"], names["kind"]
    closing = bool(definition["metadata"].get("deletionTimestamp"))
    check = _checked(structure, group, kind)
    return Resource(
        group=group,
        version=version["name"],
        kind=kind,
        plural=names["plural"],
        singular_name=names.get("singular") or "",
        list_name=names.get("listKind") or "",
        namespaced=spec["scope"] == "Namespaced",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        schema=schema,
        structure=structure,
        face=_face(definition, version, structure),
        scale=_scale(version),
        closing=closing,
        deprecation=_deprecation(definition, version),
        status=dig(version, "subresources", "status") is not None,
        generation=True,
        needs_version=True,
        fields={
            dotted(one["jsonPath"]): dotted(one["jsonPath"])
            for one in version.get("selectableFields") or ()
        },
        columns=(NAME, *(_column(column) for column in columns)),
        cells=_cells(columns),
        admit=_admission(check, group, names["plural"], closing=closing),
        change=check,
        change_status=check,
    )


def _checked(structure: Structure, group: str, kind: str) -> Callable[..., None]:
    """A check of an object against its schema, and against what it was."""

    def check(new: Document, old: Document | None = None) -> None:
        metadata = list(metadata_causes(new["metadata"], wrong_subdomain))
        if causes := structure.causes(new, old, metadata):
            raise invalid(group, kind, new["metadata"].get("name", ""), causes)

    return check


def _admission(
    check: Callable[..., None], group: str, plural: str, *, closing: bool
) -> Callable[[Document, World], list[str]]:
    def admit(document: Document, world: World) -> list[str]:
        if closing:
            message = f"{plural}.{group} are being removed with their definition; nothing is made"
            raise StatusError(405, "MethodNotAllowed", message, Details())
        check(document)
        return []

    return admit


def _deprecation(definition: Document, version: Document) -> str:
    """The version's own words, or that it is deprecated and which newer one is not."""
    if not version.get("deprecated"):
        return ""
    spec = definition["spec"]
    if (told := version.get("deprecationWarning")) is not None:
        return str(told)
    group, kind = spec["group"], spec["names"]["kind"]
    name = version["name"]
    others = [v["name"] for v in spec["versions"] if v.get("served") and not v.get("deprecated")]
    newer = [other for other in others if rank(other) < rank(name)]
    instead = f"; use {group}/{min(newer, key=rank)} {kind}" if newer else ""
    return f"{group}/{name} {kind} is deprecated{instead}"


def _face(definition: Document, version: Document, structure: Structure) -> Face | None:
    """Needed where an object may be stored in another version, or by an earlier schema."""
    versions, names = definition["spec"]["versions"], definition["spec"]["names"]
    group = definition["spec"]["group"]
    if len(versions) == 1 and definition["metadata"].get("generation", 1) == 1:
        return None
    stored = next(one["name"] for one in versions if one.get("storage"))

    def show(document: Document) -> Document:
        shown = copy.deepcopy(document)
        shown["apiVersion"] = f"{group}/{version['name']}"
        structure.prune(shown)
        structure.complete(shown)
        return shown

    def store(document: Document) -> Document:
        return {**document, "apiVersion": f"{group}/{stored}"}

    return Face(f"{names['plural']}.{group}", show, store)


def _scale(version: Document) -> ScalePaths | None:
    scale = dig(version, "subresources", "scale")
    if scale is None:
        return None
    paths = ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")
    return ScalePaths(*(dotted(scale.get(path) or "") for path in paths))


def _column(column: Document) -> Column:
    return Column(
        column["name"], column.get("priority") or 0, column["type"], column.get("format") or ""
    )


def _cells(columns: list[Document]) -> Callable[[Document, int], list[Any]]:
    shown = [column_cell(column["jsonPath"], column["type"]) for column in columns]
    return lambda document, now: [name_of(document), *(cell(document, now) for cell in shown)]

"""Objects as the client asked for them: whole, by their metadata alone, or as table rows."""

import time
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, Final

import msgspec

from shoal.apiserver.http import Request, Response, encode_json, warning_headers
from shoal.apiserver.registry import Resource
from shoal.dialect.document import Document
from shoal.dialect.status import Details, StatusError, bad_request
from shoal.dialect.table import Column, table_object

decode: Final[Callable[[bytes], Any]] = msgspec.json.Decoder().decode


class Shape(Enum):
    """What of each object goes out."""

    WHOLE = "whole"
    METADATA = "metadata"
    TABLE = "table"


class Form(msgspec.Struct, frozen=True):
    """What the client accepts. ``include`` is what each table row carries of its object."""

    shape: Shape = Shape.WHOLE
    group_version: str = "v1"
    include: str = "Metadata"
    yaml: bool = False


_PLAIN: Final = Form()
_INCLUDES: Final = ("None", "Metadata", "Object")


def form_of(request: Request, *, listing: bool = False) -> Form:
    """The form to answer in. Raises StatusError 406 or 400."""
    accept = request.headers.get("accept", "")
    if not accept or accept == "application/json":
        return _PLAIN
    for part in accept.split(","):
        form = _accepted(part, request, listing=listing)
        if form is not None:
            return form
    message = f"none of {accept[:200]!r} can be given; application/json and tables can"
    raise StatusError(406, "NotAcceptable", message, None if "as=" in accept else Details())


def one(
    request: Request,
    resource: Resource,
    raw: bytes,
    status: int = 200,
    warnings: Iterable[str] = (),
) -> Response:
    """The answer that holds one object."""
    form = form_of(request)
    headers = warning_headers(tuple(warnings))
    if form.shape is Shape.WHOLE:
        return _finish(form, whole(resource, raw), status, headers)
    return _finish(form, encode_json(shaped(form, resource, decode(raw))), status, headers)


def many(
    request: Request,
    resource: Resource,
    raws: Sequence[bytes],
    metadata: dict[str, Any],
    warnings: Iterable[str] = (),
) -> Response:
    """The answer that holds a list."""
    form = form_of(request, listing=True)
    headers = warning_headers(tuple(warnings))
    if form.shape is Shape.WHOLE:
        shown = raws if resource.face is None else [whole(resource, raw) for raw in raws]
        body = _list(resource.list_kind, resource.api_version, metadata, shown)
    elif form.shape is Shape.METADATA:
        parts = [encode_json(_partial(decode(raw), form.group_version)) for raw in raws]
        body = _list("PartialObjectMetadataList", form.group_version, metadata, parts)
    else:
        now = int(time.time())
        rows = [_row(form, resource, decode(raw), now) for raw in raws]
        body = encode_json(_table(form, resource.columns, rows, metadata))
    return _finish(form, body, headers=headers)


def whole(resource: Resource, raw: bytes) -> bytes:
    """A stored object as its kind shows it."""
    return raw if resource.face is None else encode_json(resource.shown(decode(raw)))


def shaped(
    form: Form, resource: Resource, document: Document, columns: Sequence[Column] | None = None
) -> Document:
    """One object in a form other than whole; ``columns`` other than the kind's for a watch."""
    if form.shape is Shape.METADATA:
        return _partial(document, form.group_version)
    shown = resource.columns if columns is None else columns
    rows = [_row(form, resource, document, int(time.time()))]
    version = document["metadata"].get("resourceVersion", "")
    return _table(form, shown, rows, {"resourceVersion": version})


def _accepted(part: str, request: Request, *, listing: bool) -> Form | None:
    media_type, *parameters = (piece.strip() for piece in part.split(";"))
    asked = dict(piece.partition("=")[::2] for piece in parameters)
    if media_type not in _MEDIA_TYPES:
        return None
    partial = "PartialObjectMetadataList" if listing else "PartialObjectMetadata"
    shape = {**_SHAPES, partial: Shape.METADATA}.get(asked.get("as", ""))
    if shape is None or (shape is not Shape.WHOLE and asked.get("v") not in ("v1", "v1beta1")):
        return None
    if shape is Shape.WHOLE:
        return Form(yaml=media_type == "application/yaml")
    version = f"meta.k8s.io/{asked['v']}"
    return Form(shape, version, _include(request), media_type == "application/yaml")


_MEDIA_TYPES: Final = frozenset({"application/json", "application/yaml", "*/*", "application/*"})
_SHAPES: Final = {
    "": Shape.WHOLE,
    "Table": Shape.TABLE,
}


def _include(request: Request) -> str:
    include = request.query.get("includeObject") or "Metadata"
    if include not in _INCLUDES:
        raise bad_request(f"includeObject={include} is not one of {', '.join(_INCLUDES)}")
    return include


def _finish(
    form: Form, body: bytes, status: int = 200, headers: tuple[tuple[str, str], ...] = ()
) -> Response:
    if not form.yaml:
        return Response(status, body, headers=headers)
    import yaml

    text = yaml.safe_dump(decode(body), sort_keys=False, allow_unicode=True)
    return Response(status, text.encode(), "application/yaml", headers)


def _list(
    list_kind: str, api_version: str, metadata: dict[str, Any], raws: Sequence[bytes]
) -> bytes:
    head = encode_json({"kind": list_kind, "apiVersion": api_version, "metadata": metadata})
    return b"".join((head[:-1], b',"items":[', b",".join(raws), b"]}"))


def _partial(document: Document, group_version: str) -> Document:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": group_version,
        "metadata": document["metadata"],
    }


def _row(form: Form, resource: Resource, document: Document, now: int) -> dict[str, Any]:
    shown: Document | None = None
    if form.include == "Metadata":
        shown = _partial(document, form.group_version)
    elif form.include == "Object":
        shown = resource.shown(document)
    return {"cells": resource.cells(document, now), "object": shown}


def _table(
    form: Form, columns: Sequence[Column], rows: list[dict[str, Any]], metadata: dict[str, Any]
) -> Document:
    table = table_object(columns, rows, metadata)
    table["apiVersion"] = form.group_version
    return table

"""OpenAPI v3 as ``kubectl explain``, ``apply`` and generators read it: an index of documents, one
a group and version. Documents are made when first asked for, and anew when what is served
changes.

Of a kind that no v3 document has, kubectl looks for a schema in v2 before it asks which kinds
there are, so there is an empty v2 document for it.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec

from shoal.apiserver.http import PLAIN_TEXT, Request, Response, encode_json, page_not_found
from shoal.apiserver.openapi3.components import components
from shoal.apiserver.openapi3.operations import paths_of
from shoal.apiserver.registry import Registry, Resource
from shoal.apiserver.served import served
from shoal.dialect.document import Document

V2: Final = Response(
    200,
    b"\n\x032.0\x12\x0b\n\x05shoal\x12\x02v1",
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
)
"""openapi.v2.Document with swagger "2.0" and info {title "shoal", version "v1"}, as protobuf.
Source: https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto
"""
_LASTING: Final = ("cache-control", "public, immutable, max-age=31536000")


class Made(msgspec.Struct, frozen=True):
    """A document, what it was made of, and the tag that changes with it."""

    resources: tuple[Resource, ...]
    body: bytes
    tag: str


class OpenApi:
    """The documents that were made so far."""

    def __init__(self) -> None:
        self._made: dict[str, Made] = {}

    def answer(self, registry: Registry, request: Request, path: str) -> Response:
        """``/openapi/v3`` and what lies below it."""
        places = {
            _path(*place): tuple((registry.group(*place) or {}).values())
            for place in registry.groups()
        }
        if not path:
            return self._index(request, places)
        if path not in places:
            return page_not_found()
        made = self._document(path, places[path])
        lasting = (_LASTING,) if request.query.get("hash") == made.tag else ()
        return _tagged(request, made.body, "application/json", made.tag, lasting)

    def _index(self, request: Request, places: Mapping[str, tuple[Resource, ...]]) -> Response:
        urls = {
            path: f"/openapi/v3/{path}?hash={self._document(path, resources).tag}"
            for path, resources in places.items()
        }
        body = encode_json(
            {"paths": {path: {"serverRelativeURL": url} for path, url in urls.items()}}
        )
        return _tagged(request, body, PLAIN_TEXT, _hash(body))

    def _document(self, path: str, resources: tuple[Resource, ...]) -> Made:
        made = self._made.get(path)
        if made is None or made.resources != resources:
            body = _document(f"/{path}", resources)
            made = self._made[path] = Made(resources, body, _hash(body))
        return made


def _path(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else f"api/{version}"


def _document(root: str, resources: tuple[Resource, ...]) -> bytes:
    paths: dict[str, Document] = {}
    kinds = served(resources)
    for one in kinds:
        paths |= paths_of(root, one)
    return encode_json(
        {
            "openapi": "3.0.0",
            "info": {"title": "shoal", "version": "v1"},
            "paths": paths,
            "components": {"schemas": components(kinds)},
        }
    )


def _hash(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:32].upper()


def _tagged(
    request: Request,
    body: bytes,
    content_type: str,
    tag: str,
    headers: tuple[tuple[str, str], ...] = (),
) -> Response:
    """The body, or 304 where the client has it already."""
    quoted = f'"{tag}"'
    headers = (("etag", quoted), ("vary", "Accept"), *headers)
    if request.headers.get("if-none-match") == quoted:
        return Response(304, b"", content_type, headers)
    return Response(200, body, content_type, headers)

"""The kinds of patch: one entry a media type."""

from collections.abc import Callable, Mapping
from typing import Final

from shoal.apiserver.codec import check_depth, decode_json
from shoal.apiserver.http import Request
from shoal.apiserver.registry import Resource
from shoal.dialect.document import Document, Json
from shoal.dialect.jsonpatch import JsonPatchError, json_patch
from shoal.dialect.merge import merge_patch
from shoal.dialect.schema import types
from shoal.dialect.status import Details, StatusError, bad_request
from shoal.dialect.strategic import PatchError, UnknownDirective, strategic_patch

Apply = Callable[[Document], Document]


def patched(request: Request, resource: Resource) -> tuple[Apply, Json]:
    """What the patch in a request does to an object, and the patch. Raises StatusError 415, 400."""
    media_type = request.content_type.partition(";")[0].strip()
    make = _KINDS.get(media_type)
    if make is None or (make is _strategic and resource.type_name not in types()):
        raise _unsupported(media_type, resource)
    patch = decode_json(request.body)
    check_depth(patch)
    return make(patch, resource), patch


def _operations(patch: Json, resource: Resource) -> Apply:
    if not isinstance(patch, list) or not all(isinstance(part, dict) for part in patch):
        raise bad_request("a JSON patch is a list of operations")
    if len(patch) > _MOST_OPERATIONS:
        message = f"a JSON patch has at most {_MOST_OPERATIONS} operations, not {len(patch)}"
        raise StatusError(413, "RequestEntityTooLarge", message)

    def apply(document: Document) -> Document:
        try:
            changed: Json = json_patch(document, patch)
        except JsonPatchError as error:
            raise StatusError(422, "Invalid", str(error), Details()) from error
        if not isinstance(changed, dict):
            raise bad_request("the patch leaves no object")
        return changed

    return apply


def _merge(patch: Json, resource: Resource) -> Apply:
    if not isinstance(patch, dict):
        raise bad_request('a merge patch is an object; example: {"metadata": {"labels": {}}}')
    return lambda document: merge_patch(document, patch)


def _strategic(patch: Json, resource: Resource) -> Apply:
    if not isinstance(patch, dict):
        raise bad_request("a strategic merge patch is an object")

    def apply(document: Document) -> Document:
        try:
            return strategic_patch(document, patch, resource.type_name)
        except UnknownDirective as error:
            raise StatusError(500, "", str(error)) from error
        except PatchError as error:
            raise bad_request(str(error)) from error

    return apply


_MOST_OPERATIONS: Final = 10_000
_KINDS: Final[Mapping[str, Callable[[Json, Resource], Apply]]] = {
    "application/json-patch+json": _operations,
    "application/merge-patch+json": _merge,
    "application/strategic-merge-patch+json": _strategic,
}


def _unsupported(media_type: str, resource: Resource) -> StatusError:
    message = (
        f"patches of type {media_type!r} are not supported for {resource.plural}; "
        "send application/merge-patch+json or application/json-patch+json"
    )
    details = None if resource.custom else Details()
    return StatusError(415, "UnsupportedMediaType", message, details)

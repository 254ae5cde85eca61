"""What a write says that its kind has no place for, by ``fieldValidation``.

Strict refuses, Warn (which is what nothing means) warns and Ignore is silent about fields that are
unknown and keys that are given twice. Values of a wrong type are refused in every mode.
"""

import functools
from collections.abc import Callable
from typing import Final

from shoal.apiserver.codec import check_depth, decode_object, without_nulls
from shoal.apiserver.http import Request
from shoal.apiserver.registry import Resource
from shoal.dialect.conform import conform
from shoal.dialect.document import Document, Json
from shoal.dialect.duplicates import duplicates
from shoal.dialect.scalars import Misfit
from shoal.dialect.schema import types
from shoal.dialect.status import INVALID, Cause, StatusError, bad_request, invalid

_MOST: Final = 100
_METADATA: Final = "meta.v1.ObjectMeta"


def receive(request: Request, resource: Resource) -> tuple[Document, list[str]]:
    """The object in a body, in the form that is stored, and warnings.

    Raises StatusError 415 or 400.
    """
    return _received(request, resource.kind, resource.version, functools.partial(fit, resource))


def receive_as(request: Request, name: str) -> tuple[Document, list[str]]:
    """The same for a body that is of a type of the schema table and is not stored."""
    _, version, kind = name.split(".")
    return _received(request, kind, version, functools.partial(conform, name))


def fit(resource: Resource, document: Document) -> list[str]:
    """Bring an object into its stored form in place; the paths of unknown fields, dropped.

    Raises Misfit.
    """
    if resource.type_name in types():
        return conform(resource.type_name, document)
    unknown = _fit_metadata(document)
    if resource.structure is None:
        _drop_nulls(document)
        return unknown
    unknown += resource.structure.prune(document)
    resource.structure.complete(document)
    return unknown


def fit_patched(request: Request, resource: Resource, document: Document, body: Json) -> list[str]:
    """The same for what a patch has made of an object; warnings. ``body`` is the decoded patch.

    Raises StatusError 422, which names the patch and no kind, or 400 for too many levels.
    """
    check_depth(document)
    told = _repeated(request, body)
    try:
        told += _unknown(fit(resource, document))
    except Misfit as misfit:
        raise _wrong_patch(str(misfit)) from misfit
    if told and mode(request) == "Strict":
        raise _wrong_patch(", ".join(told))
    return told if mode(request) == "Warn" else []


def fresh_status(resource: Resource) -> Document | None:
    """The status of an object that nothing is known of yet; None where the kind tells of none."""
    type_ = types().get(resource.type_name)
    field = None if type_ is None else type_.fields.get("status")
    if field is None or not field.zero:
        return None
    status: Document = {}
    conform(field.type, status)
    return status


def mode(request: Request) -> str:
    """Strict, Warn or Ignore."""
    return request.query.get("fieldValidation") or "Warn"


def _received(
    request: Request, kind: str, version: str, fitted: Callable[[Document], list[str]]
) -> tuple[Document, list[str]]:
    document = decode_object(request.content_type, request.body)
    told = _repeated(request, document)
    try:
        told += _unknown(fitted(document))
    except Misfit as misfit:
        raise bad_request(f"{kind} cannot be read: {misfit}") from misfit
    if told and mode(request) == "Strict":
        raise bad_request(_strictly(kind, version, told))
    return document, told if mode(request) == "Warn" else []


def _strictly(kind: str, version: str, told: list[str]) -> str:
    """The words that clients look for."""
    wrong = f"strict decoding error: {', '.join(told)}"
    return f'{kind} in version "{version}" cannot be handled as a {kind}: {wrong}'


def _repeated(request: Request, decoded: Json) -> list[str]:
    given = request.content_type or "json"
    if mode(request) == "Ignore" or not ("json" in given or "yaml" in given):
        return []
    paths = duplicates(request.body, decoded) if "json" in given else _in_yaml(request.body)
    return [f'duplicate field "{path}"' for path in paths[:_MOST]]


def _in_yaml(body: bytes) -> list[str]:
    from shoal.apiserver.yaml_body import duplicates as in_yaml

    return in_yaml(body)


def _unknown(paths: list[str]) -> list[str]:
    return [f'unknown field "{path}"' for path in paths[:_MOST]]


def _wrong_patch(told: str) -> StatusError:
    return invalid("", "", "", [Cause(INVALID, told, "patch")])


def _fit_metadata(document: Document) -> list[str]:
    metadata = document.get("metadata")
    if metadata is None:
        document["metadata"] = {}
        return []
    try:
        return [f"metadata.{path}" for path in conform(_METADATA, metadata)]
    except Misfit as misfit:
        raise misfit.below(".metadata") from None


def _drop_nulls(document: Document) -> None:
    kept = without_nulls(document)
    document.clear()
    document.update(kept)

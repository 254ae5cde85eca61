"""How to delete: the options of a request, from its body and its query."""

from typing import Any, Final

import msgspec

from shoal.apiserver.codec import decode_body
from shoal.apiserver.http import Request
from shoal.apiserver.options import is_dry_run
from shoal.dialect.document import Document
from shoal.dialect.status import INVALID, NOT_SUPPORTED, Cause, StatusError, bad_request, invalid

POLICIES: Final = {"Foreground": "foregroundDeletion", "Orphan": "orphan", "Background": ""}
"""Propagation policies, each with the finalizer that makes a collector follow it."""


class Options(msgspec.Struct, frozen=True):
    """How to delete. ``grace`` is in seconds, None for the object's own; policy may be empty."""

    uid: str = ""
    version: str = ""
    grace: int | None = None
    policy: str = ""
    dry_run: bool = False


def options_of(request: Request) -> Options:
    """Options from the body and, where that is empty, from the query. Raises StatusError."""
    body: Any = decode_body(request.content_type, request.body) if request.body else {}
    if not isinstance(body, dict):
        raise bad_request("the body is not an object; it must hold DeleteOptions")
    if body.get("kind", "DeleteOptions") != "DeleteOptions":
        raise bad_request(f"the body is a {body['kind']}; it must hold DeleteOptions")
    return read_options(body, request)


def read_options(body: Document, request: Request) -> Options:
    """The same from DeleteOptions that are read already."""
    try:
        given = msgspec.convert(body, _Body)
    except msgspec.ValidationError as error:
        raise bad_request(f"the body is no DeleteOptions: {error}") from error
    dry_run = is_dry_run(request, "DeleteOptions")
    if given.dry_run not in (None, [], ["All"]):
        raise _refused(NOT_SUPPORTED, "only All is supported", "dryRun")
    grace = given.grace_period_seconds
    wanted = given.preconditions or _Preconditions()
    return Options(
        uid=wanted.uid or "",
        version=wanted.resource_version or "",
        grace=request.number("gracePeriodSeconds") if grace is None else grace,
        policy=_policy(given, request),
        dry_run=dry_run or given.dry_run == ["All"],
    )


class _Preconditions(msgspec.Struct, rename="camel"):
    uid: str | None = None
    resource_version: str | None = None


class _Body(msgspec.Struct, rename="camel"):
    grace_period_seconds: int | None = None
    preconditions: _Preconditions | None = None
    propagation_policy: str | None = None
    orphan_dependents: bool | None = None
    dry_run: list[str] | None = None


def _policy(given: _Body, request: Request) -> str:
    policy = given.propagation_policy or request.query.get("propagationPolicy") or ""
    orphan = given.orphan_dependents
    asked = request.query.get("orphanDependents")
    if orphan is None and asked is not None:
        orphan = asked == "true"
    if orphan is not None and not policy:
        return "Orphan" if orphan else "Background"
    if orphan is not None:
        told = "cannot be given together with orphanDependents"
        raise _refused(INVALID, told, "propagationPolicy")
    if policy and policy not in POLICIES:
        told = f"{policy!r} is not one of {', '.join(POLICIES)}"
        raise _refused(NOT_SUPPORTED, told, "propagationPolicy")
    return policy


def _refused(reason: str, told: str, field: str) -> StatusError:
    return invalid("meta.k8s.io", "DeleteOptions", "", [Cause(reason, told, field)])

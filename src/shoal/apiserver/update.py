"""PUT and PATCH: a new version of an object, against the one that is there."""

from collections.abc import Callable
from typing import Final

from shoal.apiserver import meta, render
from shoal.apiserver.create import birth
from shoal.apiserver.fields import fit_patched, receive
from shoal.apiserver.history import Entry
from shoal.apiserver.http import Request, Response, encode_json
from shoal.apiserver.options import is_dry_run
from shoal.apiserver.patch import patched
from shoal.apiserver.registry import Resource
from shoal.apiserver.render import decode
from shoal.apiserver.server import Server, Target
from shoal.dialect.document import Document
from shoal.dialect.status import INVALID, Cause, StatusError, conflict, invalid

Mutate = Callable[[Document], tuple[Document, list[str]]]
"""The new version of an object, from the newest there is, with warnings. Raises StatusError."""


async def replace(server: Server, request: Request, target: Target) -> Response:
    """PUT an object or its status. Raises StatusError."""
    dry_run = is_dry_run(request, "UpdateOptions")
    resource = target.resource
    document, warnings = receive(request, resource)
    metadata = meta.settle(resource, target.namespace, target.name, document)
    if resource.put_creates and server.store.newest(target.key) is None:
        metadata.pop("resourceVersion", None)
        meta.begin(resource, target.namespace, document, server.is_taken(target))
        return await birth(server, request, target, document, warnings, dry_run=dry_run)
    if resource.needs_version and not metadata.get("resourceVersion"):
        told = "must be given for an update; read the object and send its version back"
        cause = Cause(INVALID, told, "metadata.resourceVersion")
        raise invalid(resource.group, resource.plural, target.name, [cause])
    return await change(server, request, target, lambda _: (document, warnings), dry_run=dry_run)


async def patch(server: Server, request: Request, target: Target) -> Response:
    """PATCH an object or its status. Raises StatusError."""
    dry_run = is_dry_run(request, "PatchOptions")
    apply, body = patched(request, target.resource)

    def mutate(old: Document) -> tuple[Document, list[str]]:
        new = apply(old)
        warnings = fit_patched(request, target.resource, new, body)
        meta.settle(target.resource, target.namespace, target.name, new)
        return new, warnings

    return await change(server, request, target, mutate, dry_run=dry_run)


async def change(
    server: Server,
    request: Request,
    target: Target,
    mutate: Mutate,
    *,
    dry_run: bool,
) -> Response:
    """Store what ``mutate`` makes of the newest version, unless that is the same again."""
    entry = server.current(target)
    old = decode(entry.raw)
    resource = target.resource
    changed, warnings = mutate(resource.shown(decode(entry.raw)))
    new = resource.as_stored(changed)
    _check_version(target, new, entry)
    meta.inherit(resource, new, old)
    _merge_parts(target, new, old)
    meta.check(resource, new)
    _count(resource, new, old)
    raw = await save(server, target, new, old, entry, dry_run=dry_run)
    return render.one(request, resource, raw, warnings=warnings)


async def save(
    server: Server, target: Target, new: Document, old: Document, entry: Entry, *, dry_run: bool
) -> bytes:
    """Store a checked version; the bytes to answer. Nothing is written for no change."""
    new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
    if new == old:
        await server.store.settled(target.key)
        return entry.raw
    if dry_run:
        return encode_json(new)
    if is_over(new):
        return (await server.store.remove(target.key, new)).raw
    return (await server.store.put(target.key, new)).raw


def is_over(document: Document) -> bool:
    """Whether nothing holds an object back that is being deleted."""
    metadata = document["metadata"]
    return (
        bool(metadata.get("deletionTimestamp"))
        and not metadata.get("finalizers")
        and not metadata.get("deletionGracePeriodSeconds")
        and not (document["kind"] == "Namespace" and document.get("spec", {}).get("finalizers"))
    )


def _check_version(target: Target, new: Document, entry: Entry) -> None:
    version = new["metadata"].get("resourceVersion") or ""
    if not version or version == str(entry.revision):
        return
    if not version.isdigit():
        raise StatusError(500, "", f"resourceVersion {version[:40]!r} is not a version")
    why = "the object has been modified; read it again and apply the change to that"
    raise conflict(target.resource.group, target.resource.plural, target.name, why)


def _merge_parts(target: Target, new: Document, old: Document) -> None:
    """Let a write through the main path change all but status, one through /status only it."""
    resource = target.resource
    if target.subresource == "status":
        for part in (old.keys() | new.keys()) - {"metadata", "status"}:
            _copy(part, old, new)
        if not resource.status_metadata:
            meta.keep_metadata(new, old)
        resource.change_status(new, old)
        return
    if resource.status:
        _copy("status", old, new)
    _check_finalizers(resource, new, old)
    resource.change(new, old)
    meta.check_unchanged(resource, new, old)


def _copy(part: str, source: Document, to: Document) -> None:
    if part in source:
        to[part] = source[part]
    else:
        to.pop(part, None)


def _check_finalizers(resource: Resource, new: Document, old: Document) -> None:
    if not old["metadata"].get("deletionTimestamp"):
        return
    before = set(old["metadata"].get("finalizers") or ())
    added = [f for f in new["metadata"].get("finalizers") or () if f not in before]
    if added:
        cause = Cause(
            "FieldValueForbidden",
            f"no new finalizers can be added while it is being deleted: {', '.join(added)}",
            "metadata.finalizers",
        )
        causes = [cause, cause] if resource.custom else [cause]
        raise invalid(resource.group, resource.kind, old["metadata"]["name"], causes)


_NOT_COUNTED: Final = frozenset({"metadata", "status", "apiVersion", "kind"})


def _count(resource: Resource, new: Document, old: Document) -> None:
    """Raise the generation when something other than metadata and status changed."""
    if resource.generation and any(
        new.get(part) != old.get(part) for part in (new.keys() | old.keys()) - _NOT_COUNTED
    ):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

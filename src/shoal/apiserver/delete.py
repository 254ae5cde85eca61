"""DELETE: an object or a collection, with finalizers, preconditions and grace."""

import asyncio
from typing import Final

import msgspec

from shoal.api.pod import LONGEST_GRACE_S
from shoal.apiserver import render
from shoal.apiserver.delete_options import POLICIES, Options, options_of
from shoal.apiserver.history import Key
from shoal.apiserver.http import Request, Response, answer, encode_json
from shoal.apiserver.meta import rfc3339
from shoal.apiserver.registry import Resource
from shoal.apiserver.render import decode
from shoal.apiserver.select import selection_of
from shoal.apiserver.server import Server, Target
from shoal.apiserver.update import is_over
from shoal.dialect.document import Document
from shoal.dialect.status import (
    Details,
    conflict,
    forbidden,
    success,
)

_POLICY_FINALIZERS: Final = frozenset(filter(None, POLICIES.values()))
_PROTECTED_NAMESPACES: Final = frozenset({"default", "kube-system", "shoal-system"})
_DEFAULT_GRACE_S: Final = 30
_AT_ONCE: Final = 500


async def delete(server: Server, request: Request, target: Target) -> Response:
    """Delete one object, or mark it where something still holds it. Raises StatusError."""
    resource = target.resource
    options, warnings = _for_kind(resource, options_of(request))
    _check_protected(target)
    document = decode(server.current(target).raw)
    raw, gone = await remove(server, target, document, options)
    if gone and not resource.delete_answers_object:
        return answer(success(_details(resource, document)), warnings=warnings)
    return render.one(request, resource, raw, warnings=warnings)


async def delete_collection(server: Server, request: Request, target: Target) -> Response:
    """Delete what is selected; the answer lists it as it was found. Raises StatusError."""
    resource = target.resource
    options, warnings = _for_kind(resource, options_of(request))
    selection = selection_of(request, resource, target.namespace)
    found = [
        (key, entry)
        for key, entry in server.store.present(resource.key, target.namespace)
        if selection.takes(key, entry.raw)
    ]
    for start in range(0, len(found), _AT_ONCE):
        keys = (key for key, _ in found[start : start + _AT_ONCE])
        await asyncio.gather(*(_delete_found(server, resource, key, options) for key in keys))
    metadata = {"resourceVersion": str(server.store.revision)}
    return render.many(request, resource, [entry.raw for _, entry in found], metadata, warnings)


def _for_kind(resource: Resource, options: Options) -> tuple[Options, tuple[str, ...]]:
    """The options with the policy that the kind has for want of one, and what to say of it."""
    if options.policy or not resource.orphan_warning:
        return options, ()
    return msgspec.structs.replace(options, policy="Orphan"), (resource.orphan_warning,)


async def _delete_found(server: Server, resource: Resource, key: Key, options: Options) -> None:
    entry = server.store.newest(key)
    if entry is not None:
        target = Target(resource, key.namespace, key.name)
        await remove(server, target, decode(entry.raw), options)


async def remove(
    server: Server, target: Target, document: Document, options: Options
) -> tuple[bytes, bool]:
    """Delete an object, or mark it: the bytes of what became of it, and whether it is gone.

    Raises StatusError 409 where a precondition does not hold.
    """
    _check_preconditions(target.resource, document, options)
    before = encode_json(document)
    metadata = document["metadata"]
    _set_policy(metadata, options)
    grace = _grace(target.resource, document, options)
    _mark(target.resource, document, grace)
    gone = is_over(document)
    if options.dry_run:
        return encode_json(document), gone
    if not gone:
        if encode_json(document) == before:
            await server.store.settled(target.key)
            return before, False
        return (await server.store.put(target.key, document)).raw, False
    if target.resource.plural == "pods":  # watchers see the mark before the end
        marked = server.store.put(target.key, document)
        removed = server.store.remove(target.key, document)
        _, entry = await asyncio.gather(marked, removed)
        return entry.raw, True
    return await _remove(server, target.key, document, decode(before))


async def _remove(
    server: Server, key: Key, document: Document, before: Document
) -> tuple[bytes, bool]:
    """What goes at once was never marked."""
    metadata = document["metadata"]
    for mark in ("deletionTimestamp", "deletionGracePeriodSeconds"):
        metadata.pop(mark, None)
    if "generation" in metadata:
        metadata["generation"] = before["metadata"]["generation"]
    return (await server.store.remove(key, document)).raw, True


def _set_policy(metadata: Document, options: Options) -> None:
    """The finalizers that make a collector act; a policy replaces an earlier one."""
    if not options.policy:
        return
    held = [f for f in metadata.get("finalizers") or () if f not in _POLICY_FINALIZERS]
    if finalizer := POLICIES[options.policy]:
        held.append(finalizer)
    if held:
        metadata["finalizers"] = held
    else:
        metadata.pop("finalizers", None)


def _grace(resource: Resource, document: Document, options: Options) -> int:
    """Seconds that the programs of a pod get; 0 for everything that has none."""
    if resource.plural != "pods":
        return 0
    spec, status = document.get("spec", {}), document.get("status", {})
    if not spec.get("nodeName") or status.get("phase") in ("Succeeded", "Failed"):
        return 0
    own = spec.get("terminationGracePeriodSeconds")
    asked = own if options.grace is None else options.grace
    grace = _DEFAULT_GRACE_S if asked is None else int(asked)
    return min(max(grace, 0), LONGEST_GRACE_S)


def _mark(resource: Resource, document: Document, grace: int) -> None:
    """Set when it shall be gone; a later grace may only be shorter."""
    metadata = document["metadata"]
    if not metadata.get("deletionTimestamp"):
        metadata["deletionTimestamp"] = rfc3339(grace)
        metadata["deletionGracePeriodSeconds"] = grace
        if resource.generation:
            metadata["generation"] = metadata.get("generation", 0) + 1
    elif grace < metadata.get("deletionGracePeriodSeconds", 0):
        metadata["deletionTimestamp"] = rfc3339(grace)
        metadata["deletionGracePeriodSeconds"] = grace
    resource.mark_deleted(document)


def _check_preconditions(resource: Resource, document: Document, options: Options) -> None:
    metadata = document["metadata"]
    for asked, found, what in (
        (options.uid, metadata["uid"], "uid"),
        (options.version, metadata["resourceVersion"], "resourceVersion"),
    ):
        if asked and asked != found:
            why = f"the precondition {what} {asked} does not hold; it is {found}"
            raise conflict(resource.group, resource.kind, metadata["name"], why)


def _check_protected(target: Target) -> None:
    if target.resource.plural == "namespaces" and target.name in _PROTECTED_NAMESPACES:
        why = "this namespace may not be deleted"
        raise forbidden("", "namespaces", target.name, why)


def _details(resource: Resource, document: Document) -> Details:
    metadata = document["metadata"]
    return Details(
        name=metadata["name"], group=resource.group, kind=resource.plural, uid=metadata["uid"]
    )

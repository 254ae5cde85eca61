"""POST: a new object."""

from shoal.apiserver import meta, render
from shoal.apiserver.fields import fresh_status, receive
from shoal.apiserver.history import Key
from shoal.apiserver.http import Request, Response, encode_json
from shoal.apiserver.options import is_dry_run
from shoal.apiserver.server import Server, Target
from shoal.dialect.document import Document
from shoal.dialect.status import Cause, already_exists, forbidden, not_found


async def create(server: Server, request: Request, target: Target) -> Response:
    """Store a new object and answer it, once it is durable. Raises StatusError."""
    dry_run = is_dry_run(request)
    document, warnings = receive(request, target.resource)
    meta.begin(target.resource, target.namespace, document, server.is_taken(target))
    return await birth(server, request, target, document, warnings, dry_run=dry_run)


async def birth(
    server: Server,
    request: Request,
    target: Target,
    document: Document,
    warnings: list[str],
    *,
    dry_run: bool,
) -> Response:
    """Admit and store an object whose metadata is filled."""
    resource = target.resource
    if resource.status and not resource.status_at_birth:
        document.pop("status", None)
        if (status := fresh_status(resource)) is not None:
            document["status"] = status
    _check_namespace(server, target, document)
    document = resource.as_stored(document)
    warnings += resource.admit(document, server)
    meta.check(resource, document)
    name = document["metadata"]["name"]
    key = Key(resource.key, target.namespace, name)
    if server.store.newest(key) is not None:
        raise already_exists(resource.group, resource.plural, name)
    raw = encode_json(document) if dry_run else (await server.store.put(key, document)).raw
    return render.one(request, resource, raw, 201, warnings)


def _check_namespace(server: Server, target: Target, document: Document) -> None:
    if not target.resource.namespaced:
        return
    entry = server.store.newest(Key("namespaces", "", target.namespace))
    if entry is None:
        raise not_found("", "namespaces", target.namespace)
    if entry.deleting:
        why = f"namespace {target.namespace} is being deleted; nothing new can be made in it"
        name = document["metadata"].get("name", "")
        cause = Cause("NamespaceTerminating", why, "metadata.namespace")
        raise forbidden(target.resource.group, target.resource.plural, name, why, [cause])

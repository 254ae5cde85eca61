"""The subresource ``scale`` of custom kinds: how many copies there are and should be."""

from shoal.apiserver.codec import decode_object
from shoal.apiserver.http import Request, Response, answer
from shoal.apiserver.options import is_dry_run
from shoal.apiserver.patch import Apply, patched
from shoal.apiserver.registry import ScalePaths
from shoal.apiserver.render import decode
from shoal.apiserver.server import Server, Target
from shoal.apiserver.update import change
from shoal.dialect.document import Document
from shoal.dialect.paths import dig
from shoal.dialect.status import INVALID, Cause, bad_request, invalid

_KEPT = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


async def get_scale(server: Server, request: Request, target: Target) -> Response:
    """GET the scale of an object. Raises StatusError 404."""
    stored = decode(server.current(target).raw)
    return answer(_scale(target, target.resource.shown(stored)))


async def replace_scale(server: Server, request: Request, target: Target) -> Response:
    """PUT a scale: write the number of copies into the object. Raises StatusError."""
    scale = decode_object(request.content_type, request.body)
    dry_run = is_dry_run(request, "UpdateOptions")
    return await _write(server, target, lambda _: scale, dry_run=dry_run)


async def patch_scale(server: Server, request: Request, target: Target) -> Response:
    """PATCH a scale. Raises StatusError."""
    dry_run = is_dry_run(request, "PatchOptions")
    apply, _ = patched(request, target.resource)
    return await _write(server, target, apply, dry_run=dry_run)


async def _write(server: Server, target: Target, apply: Apply, *, dry_run: bool) -> Response:
    def mutate(old: Document) -> tuple[Document, list[str]]:
        scale = apply(_scale(target, old))
        _put(old, _paths(target).spec.split("."), _wanted(target, scale))
        old["metadata"]["resourceVersion"] = dig(scale, "metadata", "resourceVersion") or ""
        return old, []

    plain = Request("PUT", "", "", {}, {})
    written = await change(server, plain, target, mutate, dry_run=dry_run)
    return answer(_scale(target, decode(written.body)))


def _scale(target: Target, document: Document) -> Document:
    paths = _paths(target)
    status: Document = {"replicas": dig(document, *paths.status.split(".")) or 0}
    if paths.selector and (selector := dig(document, *paths.selector.split("."))):
        status["selector"] = selector
    metadata = document["metadata"]
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: metadata[key] for key in _KEPT if key in metadata},
        "spec": {"replicas": dig(document, *paths.spec.split(".")) or 0},
        "status": status,
    }


def _wanted(target: Target, scale: Document) -> int:
    replicas = dig(scale, "spec", "replicas") or 0
    if type(replicas) is not int:
        raise bad_request("Scale cannot be read: spec.replicas takes a whole number")
    if replicas < 0:
        cause = Cause(INVALID, "takes 0 or more", "spec.replicas")
        raise invalid("autoscaling", "Scale", target.name, [cause])
    return replicas


def _put(document: Document, path: list[str], value: int) -> None:
    for name in path[:-1]:
        document = document.setdefault(name, {})
    document[path[-1]] = value


def _paths(target: Target) -> ScalePaths:
    assert target.resource.scale is not None
    return target.resource.scale

"""Subresources that are neither status nor streams: binding and evicting pods, finishing
namespaces.
"""

from shoal.api.pod import DISRUPTED, EVICTION
from shoal.apiserver import meta, render
from shoal.apiserver.delete import remove
from shoal.apiserver.delete_options import read_options
from shoal.apiserver.fields import receive, receive_as
from shoal.apiserver.http import Request, Response, answer
from shoal.apiserver.options import is_dry_run
from shoal.apiserver.render import decode
from shoal.apiserver.server import Server, Target
from shoal.apiserver.update import save
from shoal.dialect.document import Document
from shoal.dialect.paths import dig
from shoal.dialect.status import Details, StatusError, bad_request, conflict, success


async def bind(server: Server, request: Request, target: Target) -> Response:
    """POST pods/binding: give a pod its node. Raises StatusError 404, 409 or 422."""
    binding, _ = receive_as(request, "core.v1.Binding")
    dry_run = is_dry_run(request)
    node = _node(binding, target)
    entry = server.current(target)
    pod, old = decode(entry.raw), decode(entry.raw)
    _check_bindable(binding, pod, target)
    pod["spec"]["nodeName"] = node
    _note(binding, pod)
    _schedule(pod)
    await save(server, target, pod, old, entry, dry_run=dry_run)
    return answer(success(Details(), 201), 201)


async def bind_named(server: Server, request: Request, target: Target) -> Response:
    """POST bindings: the same for the pod that the binding is named after."""
    binding, _ = receive_as(request, "core.v1.Binding")
    name = dig(binding, "metadata", "name") or ""
    pods = server.registry.group("", "v1")
    assert pods is not None
    return await bind(server, request, Target(pods["pods"], target.namespace, name, "binding"))


async def evict(server: Server, request: Request, target: Target) -> Response:
    """POST pods/eviction: delete a pod as its own owner would. Raises StatusError."""
    eviction, _ = receive_as(request, "policy.v1.Eviction")
    if (kind := eviction.get("kind", "Eviction")) != "Eviction":
        raise bad_request(f"the body is a {kind}; it must hold an Eviction of policy/v1")
    if (name := dig(eviction, "metadata", "name") or target.name) != target.name:
        raise bad_request(f"the eviction is named {name}, the pod {target.name}")
    options = read_options(eviction.get("deleteOptions") or {}, request)
    pod = decode(server.current(target).raw)
    _disrupt(pod)
    await remove(server, target, pod, options)
    return answer(success(Details(), 201), 201)


async def finalize(server: Server, request: Request, target: Target) -> Response:
    """PUT namespaces/finalize: write ``spec.finalizers``; without any it goes."""
    dry_run = is_dry_run(request, "UpdateOptions")
    document, _ = receive(request, target.resource)
    metadata = meta.settle(target.resource, "", target.name, document)
    entry = server.current(target)
    new, old = decode(entry.raw), decode(entry.raw)
    version = metadata.get("resourceVersion")
    if version and version != str(entry.revision):
        raise conflict("", "namespaces", target.name, "it has been modified; read it again")
    finalizers = dig(document, "spec", "finalizers") or []
    new["spec"] = {"finalizers": finalizers} if finalizers else {}
    raw = await save(server, target, new, old, entry, dry_run=dry_run)
    return render.one(request, target.resource, raw)


def _disrupt(pod: Document) -> None:
    """The condition of a pod that runs and is to leave, so that its owner knows why it went."""
    status = pod.setdefault("status", {})
    over = pod["metadata"].get("deletionTimestamp") or status.get("phase") in (
        "Succeeded",
        "Failed",
    )
    if over or not pod["spec"].get("nodeName"):
        return
    others = [one for one in status.get("conditions") or () if one["type"] != DISRUPTED]
    told = {
        "type": DISRUPTED,
        "status": "True",
        "reason": EVICTION,
        "message": "somebody asked for its eviction",
        "lastTransitionTime": meta.rfc3339(),
    }
    status["conditions"] = [*others, told]


def _node(binding: Document, target: Target) -> str:
    """The node to bind to. A wrong target is a bare 500, as clients know it."""
    if (name := dig(binding, "metadata", "name") or target.name) != target.name:
        raise bad_request(f"the binding is named {name}, the pod {target.name}")
    kind = dig(binding, "target", "kind") or "Node"
    if kind != "Node":
        raise StatusError(500, "", f"target.kind is {kind!r}; a pod is bound to a Node")
    node = dig(binding, "target", "name")
    if not node or not isinstance(node, str):
        raise StatusError(500, "", "target.name is not there; it names the node to bind to")
    return node


def _check_bindable(binding: Document, pod: Document, target: Target) -> None:
    metadata = pod["metadata"]
    uid = dig(binding, "metadata", "uid")
    if uid and uid != metadata["uid"]:
        raise conflict("", "pods", target.name, f"its uid is {metadata['uid']}, not {uid}")
    why = ""
    if metadata.get("deletionTimestamp"):
        why = "it is being deleted"
    elif bound := pod["spec"].get("nodeName"):
        why = f"it is bound to node {bound} already"
    elif pod["spec"].get("schedulingGates"):
        why = "it has scheduling gates; take them away first"
    if why:
        raise conflict("", "pods/binding", target.name, why)


def _note(binding: Document, pod: Document) -> None:
    for part in ("annotations", "labels"):
        if added := dig(binding, "metadata", part):
            pod["metadata"].setdefault(part, {}).update(added)


def _schedule(pod: Document) -> None:
    """Condition PodScheduled, as the real server sets it with the binding."""
    conditions = pod["status"].setdefault("conditions", [])
    others = [c for c in conditions if c.get("type") != "PodScheduled"]
    now = meta.rfc3339()
    scheduled = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
    pod["status"]["conditions"] = [*others, {**scheduled, "lastTransitionTime": now}]

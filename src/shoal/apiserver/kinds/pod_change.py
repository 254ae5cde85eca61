"""What of a pod may change once it exists."""

from collections.abc import Iterator
from typing import Final

from shoal.apiserver.kinds.pod_defaults import complete_pod
from shoal.apiserver.kinds.refuse import refuse
from shoal.dialect.document import Document
from shoal.dialect.status import FORBIDDEN, INVALID, Cause

_KEPT: Final = (
    "preemptionPolicy",
    "priority",
    "serviceAccount",
    "serviceAccountName",
)
"""What admission filled in and a writer may leave out."""
_FREE: Final = frozenset({"activeDeadlineSeconds", "schedulingGates", "tolerations"})
"""What has rules of its own."""


def change_pod(new: Document, old: Document) -> None:
    """Images, deadlines (to sooner), tolerations (more), gates (fewer): nothing else changes."""
    spec, before = new.setdefault("spec", {}), old["spec"]
    complete_pod(spec)
    for field in _KEPT:
        if field in before:
            spec.setdefault(field, before[field])
    if not spec.get("schedulingGates"):
        spec.pop("schedulingGates", None)
    refuse("", "Pod", new, _causes(spec, before))


def _causes(spec: Document, before: Document) -> Iterator[Cause]:
    if not _deadline_allowed(spec.get("activeDeadlineSeconds"), before):
        told = "may be set or brought forward, from 1 second up"
        yield Cause(INVALID, told, "spec.activeDeadlineSeconds")
    now = [_without_seconds(toleration) for toleration in spec.get("tolerations") or ()]
    kept = [_without_seconds(toleration) for toleration in before.get("tolerations") or ()]
    if any(toleration not in now for toleration in kept):
        yield Cause(FORBIDDEN, "may be added, not changed", "spec.tolerations")
    yield from _gate_causes(spec, before)
    gated = bool(before.get("schedulingGates"))
    if gated and not _narrows(spec, before):
        yield Cause(INVALID, "may only gain entries", "spec.nodeSelector")
    if _fixed(spec, gated) != _fixed(before, gated):
        told = "only images, activeDeadlineSeconds and more tolerations may change"
        yield Cause(FORBIDDEN, told, "spec")


def _without_seconds(toleration: Document) -> Document:
    return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}


def _deadline_allowed(deadline: int | None, before: Document) -> bool:
    earlier = before.get("activeDeadlineSeconds")
    if deadline is None:
        return earlier is None
    return deadline >= 1 and (earlier is None or deadline <= earlier)


def _gate_causes(spec: Document, before: Document) -> Iterator[Cause]:
    known = {gate.get("name") for gate in before.get("schedulingGates") or ()}
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        if gate.get("name") not in known:
            told = "gates may be taken away, not added"
            yield Cause(FORBIDDEN, told, f"spec.schedulingGates[{index}].name")


def _narrows(spec: Document, before: Document) -> bool:
    """Whether every node that is still selected was selected before."""
    selector = spec.get("nodeSelector") or {}
    return (before.get("nodeSelector") or {}).items() <= selector.items()


def _fixed(spec: Document, gated: bool) -> Document:
    """The spec without what may change; a gated pod may yet be told where to go."""
    free = _FREE | {"nodeSelector"} if gated else _FREE
    fixed = {field: value for field, value in spec.items() if field not in free}
    for part in ("containers", "initContainers"):
        fixed[part] = [
            {key: value for key, value in container.items() if key != "image"}
            for container in spec.get(part) or ()
        ]
    return fixed

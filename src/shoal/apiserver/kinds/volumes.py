"""Persistent volumes and claims to them: kept as records. Nothing here binds or mounts them."""

from collections.abc import Iterator
from typing import Any, Final

from shoal.apiserver.kinds.cells import age_of, name_of
from shoal.apiserver.kinds.refuse import negative, not_supported, refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document
from shoal.dialect.paths import dig
from shoal.dialect.status import FORBIDDEN, INVALID, NOT_SUPPORTED, REQUIRED, Cause

_ACCESS: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_SHORT: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_RECLAIM: Final = ("Delete", "Recycle", "Retain")
_MODES: Final = ("Block", "Filesystem")
_PROTECTION: Final = "kubernetes.io/pv-protection"
_NOT_A_SOURCE: Final = frozenset(
    {
        "accessModes",
        "capacity",
        "claimRef",
        "mountOptions",
        "nodeAffinity",
        "persistentVolumeReclaimPolicy",
        "storageClassName",
        "volumeAttributesClassName",
        "volumeMode",
    }
)
_NOT_BOUND: Final = "no claim to a volume is served on this machine; it stays Pending"
_UNSET: Final = "<unset>"


def admit_volume(document: Document, world: World) -> list[str]:
    """Complete and check a new volume; it is protected until nobody uses it."""
    spec = document["spec"]
    refuse("", "PersistentVolume", document, _volume_causes(spec))
    finalizers = document["metadata"].setdefault("finalizers", [])
    if _PROTECTION not in finalizers:
        finalizers.append(_PROTECTION)
    document["status"] = {"phase": "Pending"}
    return []


def change_volume(new: Document, old: Document) -> None:
    """Where the data lies never changes."""
    spec, before = new["spec"], old["spec"]
    causes = [*_volume_causes(spec)]
    if _sources(spec) != _sources(before):
        causes.append(Cause(FORBIDDEN, "field is immutable", "spec.persistentvolumesource"))
    if spec["volumeMode"] != before["volumeMode"]:
        causes.append(Cause(INVALID, "field is immutable", "spec.volumeMode"))
    refuse("", "PersistentVolume", new, causes)


def let_volume_go(document: Document) -> None:
    """A volume that is deleted loses its protection unless a claim is bound to it."""
    metadata = document["metadata"]
    if dig(document, "status", "phase") != "Bound" and "finalizers" in metadata:
        metadata["finalizers"] = [f for f in metadata["finalizers"] if f != _PROTECTION]


def admit_volume_claim(document: Document, world: World) -> list[str]:
    """Complete and check a new claim."""
    spec = document["spec"]
    refuse("", "PersistentVolumeClaim", document, _claim_causes(spec))
    document["status"] = {"phase": "Pending"}
    return [_NOT_BOUND]


def change_volume_claim(new: Document, old: Document) -> None:
    """What is asked for stays, but for how much, and for what a binder fills in once."""
    spec, before = new["spec"], old["spec"]
    causes = [*_claim_causes(spec)]
    free = {"resources", "volumeAttributesClassName"}
    free |= {field for field in ("storageClassName", "volumeName") if not before.get(field)}
    if {k: v for k, v in spec.items() if k not in free} != {
        k: v for k, v in before.items() if k not in free
    }:
        told = "only the size may change once the claim exists"
        causes.append(Cause(FORBIDDEN, told, "spec"))
    refuse("", "PersistentVolumeClaim", new, causes)


def volume(document: Document, now: int) -> list[Any]:
    """The row: Name, Capacity, Access Modes, Reclaim Policy, Status, Claim and so on."""
    spec, status = document["spec"], document.get("status") or {}
    claim = spec.get("claimRef") or {}
    phase = status.get("phase", "")
    return [
        name_of(document),
        dig(spec, "capacity", "storage") or "",
        _access_text(spec.get("accessModes") or ()),
        spec["persistentVolumeReclaimPolicy"],
        "Terminating" if document["metadata"].get("deletionTimestamp") else phase,
        f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else "",
        spec.get("storageClassName", ""),
        spec.get("volumeAttributesClassName") or _UNSET,
        status.get("reason", ""),
        age_of(document, now),
        spec["volumeMode"],
    ]


def volume_claim(document: Document, now: int) -> list[Any]:
    """The row: Name, Status, Volume, Capacity, Access Modes, StorageClass and so on."""
    spec, status = document["spec"], document.get("status") or {}
    bound = spec.get("volumeName") or ""
    phase = status.get("phase", "")
    return [
        name_of(document),
        "Terminating" if document["metadata"].get("deletionTimestamp") else phase,
        bound,
        (dig(status, "capacity", "storage") or "") if bound else "",
        _access_text(status.get("accessModes") or ()) if bound else "",
        spec.get("storageClassName", ""),
        spec.get("volumeAttributesClassName") or _UNSET,
        age_of(document, now),
        spec["volumeMode"],
    ]


def _access_text(modes: list[str] | tuple[str, ...]) -> str:
    return ",".join(short for mode, short in _SHORT.items() if mode in modes)


def _sources(spec: Document) -> Document:
    return {field: value for field, value in spec.items() if field not in _NOT_A_SOURCE}


def _volume_causes(spec: Document) -> Iterator[Cause]:
    yield from _access_causes(spec)
    capacity = spec.get("capacity") or {}
    if not capacity:
        yield Cause(REQUIRED, "example: {storage: 10Gi}", "spec.capacity")
    if list(capacity) != ["storage"]:
        yield Cause(NOT_SUPPORTED, "storage is what a volume has", "spec.capacity")
    yield from negative(capacity, "spec.capacity")
    sources = sorted(_sources(spec))
    if not sources:
        yield Cause(REQUIRED, "a volume has one source; example: hostPath", "spec")
    for extra in sources[1:]:
        yield Cause(FORBIDDEN, "a volume has one source", f"spec.{extra}")
    policy = spec["persistentVolumeReclaimPolicy"]
    yield from not_supported(policy, _RECLAIM, "spec.persistentVolumeReclaimPolicy")
    yield from not_supported(spec["volumeMode"], _MODES, "spec.volumeMode")


def _claim_causes(spec: Document) -> Iterator[Cause]:
    yield from _access_causes(spec)
    if dig(spec, "resources", "requests", "storage") is None:
        yield Cause(REQUIRED, "example: {storage: 10Gi}", "spec.resources[storage]")
    yield from negative(dig(spec, "resources", "requests"), "spec.resources.requests")
    yield from not_supported(spec["volumeMode"], _MODES, "spec.volumeMode")


def _access_causes(spec: Document) -> Iterator[Cause]:
    modes = spec.get("accessModes") or []
    if not modes:
        yield Cause(REQUIRED, "example: [ReadWriteOnce]", "spec.accessModes")
    for mode in modes:
        yield from not_supported(mode, _ACCESS, "spec.accessModes")

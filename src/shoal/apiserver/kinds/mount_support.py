"""What of a pod's volumes a process cannot have, told to whoever sends the pod.

A mount appears to a process as a link in the pod's own folder. A place outside that is the
machine's, for everything on it to see; it can only be what is there already.
"""

import posixpath
from collections.abc import Iterator
from typing import Final

from shoal.api.run import HOST_IMAGE
from shoal.dialect.document import Document

ACCOUNT_PLACE: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where programs look for their account. What is there is left out for processes."""
_VOLUMES: Final = frozenset({"name", "emptyDir", "configMap", "secret", "hostPath"})
_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108  the machine's own, for emptyDir in memory
_FAILS: Final = "is not supported on this machine; the pod will fail"
_HIGHEST: Final = "../.."
"""Above the folder of the pod, seen from the one in which its program works."""


def unsupported_volumes(spec: Document, at: str) -> Iterator[str]:
    """A sentence for each kind of volume that a process cannot have."""
    skipped = _account_volumes(spec)
    for index, volume in enumerate(spec.get("volumes") or ()):
        if volume.get("name") in skipped:
            continue
        for field in sorted(volume.keys() - _VOLUMES):
            if volume[field] is not None:
                yield f"{at}.volumes[{index}].{field} {_FAILS}"


def unsupported_mounts(spec: Document, container: Document, at: str) -> Iterator[str]:
    """A sentence for each mount of a process that cannot be where it shall, or not as it shall."""
    if container.get("image") != HOST_IMAGE:
        return
    volumes = {volume.get("name"): volume for volume in spec.get("volumes") or ()}
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        path = mount.get("mountPath") or ""
        if path == ACCOUNT_PLACE:
            continue
        if not _can_be(mount, volumes.get(mount.get("name")) or {}):
            place = f"a path relative to its working folder, such as {mount.get('name')}"
            told = f"is no place for a mount of a process, which takes {place}; the pod will fail"
            yield f"{at}.volumeMounts[{index}].mountPath {path} {told}"
        if mount.get("readOnly"):
            yield f"{at}.volumeMounts[{index}].readOnly has no effect on this machine"


def _can_be(mount: Document, volume: Document) -> bool:
    path = posixpath.normpath(mount.get("mountPath") or "")
    if not path.startswith("/"):
        return path not in (".", "..", _HIGHEST) and not path.startswith(f"{_HIGHEST}/")
    if path == _SHARED_MEMORY:
        return (volume.get("emptyDir") or {}).get("medium") == "Memory"
    source = (volume.get("hostPath") or {}).get("path") or ""
    inside = posixpath.join(source, mount.get("subPath") or "")
    return bool(source) and path == posixpath.normpath(inside)


def _account_volumes(spec: Document) -> set[str]:
    """Projected volumes that are mounted nowhere but where programs look for their account."""
    projected = {v.get("name") or "" for v in spec.get("volumes") or () if v.get("projected")}
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    mounts = [mount for one in containers for mount in one.get("volumeMounts") or ()]
    elsewhere = {m.get("name") or "" for m in mounts if m.get("mountPath") != ACCOUNT_PLACE}
    return projected - elsewhere

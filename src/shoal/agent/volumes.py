"""Volumes of a process pod: folders, since a process has no mounts of its own.

Every mount is told as ``SHOAL_MOUNT_<NAME>``. A relative mountPath becomes a link in the
working folder. An absolute one must be there already as what the volume is (a hostPath mounted
at its own path), or lie in the pod's own folder; anywhere else it would be a link in the
machine's own tree that other programs see, so such a pod fails with a sentence.

The volume that admission adds for the service account is left out: accounts have no credentials
of their own here, and a process reaches the API server as the user who runs it does.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from shoal.agent.errors import PodError
from shoal.agent.files import make_private
from shoal.agent.home import PodHome
from shoal.agent.sources import Data, Sources
from shoal.api.pod import Container, HostPathVolume, KeyToPath, Pod, Volume, VolumeMount

REASON: Final = "VolumeUnavailable"
_ACCOUNT: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108  the machine's own, for emptyDir in memory


async def make_volumes(pod: Pod, home: PodHome, sources: Sources) -> dict[str, Path]:
    """Where each volume of a pod is. Raises PodError, or NotYetError for a missing source."""
    places = {}
    for volume in pod.spec.volumes:
        if volume.name in _account_volumes(pod):
            continue
        if volume.name in _shared_memory(pod):
            places[volume.name] = _SHARED_MEMORY
        else:
            places[volume.name] = await _make(volume, home.volume(volume.name), sources)
    return places


def link_mounts(container: Container, places: dict[str, Path], home: PodHome) -> dict[str, str]:
    """Makes a container's mounts appear; the variables that tell where. Raises PodError."""
    told = {}
    for mount in container.volume_mounts:
        if mount.mount_path == _ACCOUNT and mount.name not in places:
            continue
        target = _target(mount, places)
        _appear(mount, target, home)
        name = re.sub(r"[^A-Z0-9]", "_", mount.name.upper())
        told[f"SHOAL_MOUNT_{name}"] = str(target)
    return told


def _shared_memory(pod: Pod) -> set[str]:
    """Volumes in memory that are mounted where the machine has its own shared memory anyway."""
    there = {mount.name for mount in _mounts(pod) if Path(mount.mount_path) == _SHARED_MEMORY}
    memory = (v.name for v in pod.spec.volumes if v.empty_dir and v.empty_dir.medium == "Memory")
    return there.intersection(memory)


def _account_volumes(pod: Pod) -> set[str]:
    """Projected volumes that are mounted nowhere but where programs look for their account."""
    projected = {volume.name for volume in pod.spec.volumes if volume.projected is not None}
    elsewhere = {mount.name for mount in _mounts(pod) if mount.mount_path != _ACCOUNT}
    return projected - elsewhere


def _mounts(pod: Pod) -> Iterator[VolumeMount]:
    for container in (*pod.spec.init_containers, *pod.spec.containers):
        yield from container.volume_mounts


async def _make(volume: Volume, folder: Path, sources: Sources) -> Path:
    if volume.host_path is not None:
        return _host_path(volume.name, volume.host_path)
    if volume.empty_dir is not None:
        return make_private(folder)
    if (config := volume.config_map) is not None:
        data = await sources.config_map(config.name, optional=config.optional)
        return _fill(folder, data, config.items, config.default_mode)
    if (secret := volume.secret) is not None:
        data = await sources.secret(secret.secret_name, optional=secret.optional)
        return _fill(folder, data, secret.items, secret.default_mode & 0o700)
    raise PodError(
        REASON, f"volume {volume.name}: a process takes emptyDir, configMap, secret or hostPath"
    )


def _host_path(name: str, volume: HostPathVolume) -> Path:
    path = Path(volume.path)
    if volume.type == "DirectoryOrCreate":
        path.mkdir(parents=True, exist_ok=True)
    elif volume.type == "FileOrCreate":
        path.touch()
    if not path.exists():
        raise PodError(REASON, f"volume {name}: {path} does not exist on this machine")
    return path


def _fill(folder: Path, data: Data, items: list[KeyToPath], mode: int) -> Path:
    make_private(folder)
    wanted = items or [KeyToPath(key=key, path=key) for key in data]
    for item in wanted:
        if item.key not in data:
            raise PodError(REASON, f"volume {folder.name}: there is no key {item.key}")
        file = _inside(folder, item.path, f"volume {folder.name}")
        make_private(file.parent)
        _write(file, data[item.key], mode if item.mode is None else item.mode)
    return folder


def _write(file: Path, content: bytes, mode: int) -> None:
    file.unlink(missing_ok=True)
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as out:
        out.write(content)
    file.chmod(mode)


def _target(mount: VolumeMount, places: dict[str, Path]) -> Path:
    if mount.name not in places:
        raise PodError(REASON, f"volumeMount {mount.name}: the pod has no volume of that name")
    if not mount.sub_path:
        return places[mount.name]
    target = _inside(places[mount.name], mount.sub_path, f"volumeMount {mount.name}")
    return make_private(target)


def _appear(mount: VolumeMount, target: Path, home: PodHome) -> None:
    place = home.work / mount.mount_path
    if place.exists() and place.samefile(target):
        return
    place = Path(os.path.normpath(place))
    if not place.is_relative_to(home.root) or place == home.work:
        raise PodError(REASON, _refusal(mount))
    if place.exists() or place.is_symlink():
        raise PodError(REASON, f"volumeMount {mount.name}: {mount.mount_path} is there already")
    make_private(place.parent)
    place.symlink_to(target)


def _refusal(mount: VolumeMount) -> str:
    name = re.sub(r"[^A-Z0-9]", "_", mount.name.upper())
    return (
        f"volumeMount {mount.name}: a process cannot have a mount at {mount.mount_path}; "
        f"use a path relative to its working folder (mountPath: {mount.name}), "
        f"also told as $SHOAL_MOUNT_{name}"
    )


def _inside(folder: Path, path: str, what: str) -> Path:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        raise PodError(REASON, f"{what}: {path!r} must stay inside the volume")
    return folder / path

"""What a container's keeper is told to run: folder, environment, cards, limits."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from shoal.agent.cgroups import Group, Limits
from shoal.agent.claims import PodClaim, cards_of
from shoal.agent.code import place_code
from shoal.agent.ending import Started
from shoal.agent.environment import base_environment, container_environment, expand
from shoal.agent.errors import PodError
from shoal.agent.home import Attempt, PodHome
from shoal.agent.keeper import Launch
from shoal.agent.outputs import make_output
from shoal.agent.podgroups import make_groups
from shoal.agent.processes import MARK
from shoal.agent.ranks import rank_environment
from shoal.agent.shortage import short_of
from shoal.agent.sources import Sources
from shoal.agent.threads import in_thread
from shoal.agent.tools import Tools
from shoal.agent.volumes import link_mounts, make_volumes
from shoal.api.meta import ANNOTATION_CODE, LABEL_RUN
from shoal.api.pod import LONGEST_GRACE_S, Container, Pod
from shoal.units.errors import UnitError
from shoal.units.quantity import parse_bytes, parse_cpu

LOG_BYTES: Final = 10 * 1024 * 1024
LOG_FILES: Final = 4
"""A container's log takes at most LOG_BYTES × (LOG_FILES + 1) of disk."""
DEFAULT_GRACE_S: Final = 30


class Ground(msgspec.Struct, frozen=True):
    """What is laid out once for all containers of a pod."""

    folder: Path
    volumes: dict[str, Path]
    told: dict[str, str]


async def lay_ground(tools: Tools, pod: Pod, home: PodHome) -> Ground:
    """Folders, code, volumes and rank of a pod. Raises PodError or NotYetError.

    The code is unpacked once: a program that is started again finds its folder as it left it.
    """
    folder = await in_thread(lambda: _unpack_once(tools, pod, home))
    sources = Sources(tools.client, pod.metadata.namespace)
    volumes = await make_volumes(pod, home, sources)
    out = await make_output(tools.client, tools.home, pod)
    told = {MARK: pod.metadata.uid, "SHOAL_OUT": str(out)}
    if run := pod.metadata.labels.get(LABEL_RUN):
        told["SHOAL_RUN"] = run
    return Ground(folder, volumes, told | await rank_environment(tools.client, pod))


async def make_launch(
    tools: Tools, pod: Pod, container: Container, ground: Ground, claims: list[PodClaim]
) -> Launch:
    """The launch of one container, but for its log. Raises PodError or NotYetError."""
    home = tools.home.pod(pod.metadata.uid)
    mounts = link_mounts(container, ground.volumes, home)
    cards = cards_of(pod, container, claims)
    given = base_environment(home.tmp) | ground.told | mounts
    sources = Sources(tools.client, pod.metadata.namespace)
    environment = await container_environment(pod, container, sources, given)
    environment |= {MARK: pod.metadata.uid} | _visible(tools, cards)
    group = _group(tools, home, container)
    grace = pod.spec.termination_grace_period_seconds
    return Launch(
        program=_program(container, environment),
        environment=environment,
        folder=str(working_folder(container, ground.folder)),
        log="",
        log_bytes=LOG_BYTES,
        log_files=LOG_FILES,
        grace_s=DEFAULT_GRACE_S if grace is None else min(grace, LONGEST_GRACE_S),
        cgroups=[str(path) for path in group.procs],
        oom_file=str(group.oom_file or ""),
    )


def logged_to(launch: Launch, attempt: Attempt) -> Launch:
    """The launch with the log of one start."""
    return msgspec.structs.replace(launch, log=str(attempt.log))


def lock_descriptors(
    tools: Tools, pod: Pod, container: Container, claims: list[PodClaim]
) -> list[int]:
    """The locks of a container's cards, for its keeper to hold on to."""
    cards = cards_of(pod, container, claims)
    return [tools.locks.descriptor(_card(tools, name)) for name in cards]


def what_starts(pod: Pod, container: Container, home: PodHome) -> Started:
    """What a container's start is about, known without preparing anything."""
    code = pod.metadata.annotations.get(ANNOTATION_CODE, "")
    folder = Path(code) if code.startswith("/") else home.work
    words = [*container.command, *container.args]
    return Started(
        program=words[0] if words else "",
        folder=str(working_folder(container, folder)),
        memory_bytes=limits_of(container).memory_bytes,
    )


def working_folder(container: Container, folder: Path) -> Path:
    """``workingDir``, relative to where the pod's code is unless it is absolute."""
    return folder / container.working_dir


def limits_of(container: Container) -> Limits:
    """A container's cpu and memory limits. Raises PodError for an amount that is none."""
    limits = container.resources.limits
    try:
        return Limits(parse_cpu(limits.get("cpu", 0)), parse_bytes(limits.get("memory", 0)))
    except UnitError as error:
        raise PodError("InvalidLimits", f"container {container.name}: {error}") from None


def _unpack_once(tools: Tools, pod: Pod, home: PodHome) -> Path:
    code = pod.metadata.annotations.get(ANNOTATION_CODE, "")
    done = home.root / "unpacked"
    if done.exists() and not code.startswith("/"):
        return home.work
    folder = place_code(code, tools.home.root, home.work)
    done.touch(mode=0o600)
    return folder


def _program(container: Container, environment: Mapping[str, str]) -> list[str]:
    words = [expand(word, environment) for word in (*container.command, *container.args)]
    if any("\0" in text for text in (*words, *environment.values())):
        sentence = f"container {container.name}: its command or environment holds a zero byte"
        raise PodError("InvalidEnv", sentence)
    if not words:
        raise PodError(
            "NoCommand",
            f"container {container.name} has no command, and the host has none to offer; "
            'example: command: ["python", "train.py"]',
        )
    return words


def _visible(tools: Tools, devices: list[str]) -> dict[str, str]:
    """The cards by UUID, which no renumbering can change; none is told as none, not as all."""
    uuids = ",".join(_card(tools, name) for name in devices)
    return {"CUDA_VISIBLE_DEVICES": uuids, "NVIDIA_VISIBLE_DEVICES": uuids or "void"}


def _card(tools: Tools, device: str) -> str:
    if device not in tools.cards:
        raise PodError("CardMissing", f"card {device} is not on this machine any more")
    return tools.cards[device].uuid


def _group(tools: Tools, home: PodHome, container: Container) -> Group:
    try:
        return make_groups(tools.cgroups, home, container.name, limits_of(container))
    except OSError as error:
        if short_of(error, tools.home.root):
            raise
        raise PodError(
            "ControlGroupFailed", f"container {container.name}: no control group: {error}"
        ) from None

"""How many pods a job should have now: which to make, and which to give up."""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from shoal.api.job import Job
from shoal.api.pod import Pod
from shoal.controllers.builtin.jobs.backoff import seconds_to_wait
from shoal.controllers.builtin.jobs.pods import free_names, pod_body
from shoal.controllers.builtin.jobs.progress import Progress, is_index
from shoal.controllers.builtin.jobs.tally import Tally, index_of, waits_for_end

_MOST_AT_ONCE: Final = 500
Bodies = tuple[dict[str, Any], ...]
"""New pods, as they are created."""


class Scene(msgspec.Struct, frozen=True):
    """A job as it is looked at. ``ended_s`` says by uid how long ago a pod ended.

    ``taken`` are names that belong to pods of others.
    """

    job: Job
    pods: Sequence[Pod]
    tally: Tally
    progress: Progress
    ended_s: Mapping[str, float]
    taken: Collection[str] = ()


class Change(msgspec.Struct, frozen=True):
    """Pods to make, to give up uncounted, and to delete; and how long to wait to make more."""

    create: Bodies = ()
    give_up: tuple[Pod, ...] = ()
    delete: tuple[Pod, ...] = ()
    wait_s: float = 0.0


def change_size(scene: Scene, *, ending: bool) -> Change:
    """What brings a job to its size. One that ends stops all its pods, and counts them."""
    job, tally = scene.job, scene.tally
    if ending:
        return Change(delete=tuple(tally.active))
    kept, surplus = _kept(scene)
    held = len(tally.terminating) if waits_for_end(job) else 0
    wanted = _wanted(job, scene.progress, len(kept))
    if len(kept) > wanted:
        surplus += sorted(kept, key=_dearness)[: len(kept) - wanted]
    missing = min(wanted - len(kept) - held, _MOST_AT_ONCE)
    if missing <= 0:
        return Change(give_up=tuple(surplus))
    create, wait_s = (_indexed if job.indexed else _plain)(scene, kept, missing)
    return Change(create=create, give_up=tuple(surplus), wait_s=wait_s)


def _wanted(job: Job, progress: Progress, active: int) -> int:
    spec = job.spec
    if spec.suspend:
        return 0
    if spec.completions is None:
        # A work queue: whichever pod succeeds says that there is no more work.
        return min(active, spec.parallelism) if progress.succeeded else spec.parallelism
    left = spec.completions - progress.succeeded - len(progress.given_up)
    return max(min(spec.parallelism, left), 0)


def _kept(scene: Scene) -> tuple[list[Pod], list[Pod]]:
    """The active pods, and those of them whose index is done, out of range or taken."""
    job, active = scene.job, scene.tally.active
    if not job.indexed:
        return list(active), []
    over = scene.progress.completed | scene.progress.given_up
    kept: dict[int, Pod] = {}
    surplus = []
    for pod in active:
        index = index_of(pod)
        if not is_index(job, index) or index in over or index in kept:
            surplus.append(pod)
        else:
            kept[index] = pod
    return list(kept.values()), surplus


def _dearness(pod: Pod) -> tuple[bool, bool, int, str]:
    """What is given up first: what has no node, does not run yet, or came last."""
    running = pod.status.phase == "Running"
    return bool(pod.spec.node_name), running, -index_of(pod), pod.metadata.name


def _plain(scene: Scene, _kept: Sequence[Pod], missing: int) -> tuple[Bodies, float]:
    job = scene.job
    if (wait_s := seconds_to_wait(job, scene.pods, scene.ended_s)) > 0:
        return (), wait_s
    free = itertools.islice(free_names(job, None, _used(scene)), missing)
    return tuple(pod_body(job, name, None, 0) for name in free), 0.0


def _indexed(scene: Scene, kept: Sequence[Pod], missing: int) -> tuple[Bodies, float]:
    """Where failures are counted by index, each index waits for itself."""
    job, used = scene.job, _used(scene)
    alone = job.spec.backoff_limit_per_index is not None
    if not alone and (common := seconds_to_wait(job, scene.pods, scene.ended_s)) > 0:
        return (), common
    create: list[dict[str, Any]] = []
    waits = []
    for index in _open_indexes(scene, kept):
        own = [pod for pod in scene.pods if index_of(pod) == index] if alone else []
        if (wait := seconds_to_wait(job, own, scene.ended_s)) > 0:
            waits.append(wait)
            continue
        failures = scene.progress.failures.get(index, 0)
        create.append(pod_body(job, next(free_names(job, index, used)), index, failures))
        if len(create) == missing:
            break
    return tuple(create), min(waits, default=0.0)


def _open_indexes(scene: Scene, kept: Sequence[Pod]) -> Iterator[int]:
    """The indexes that need a pod, lowest first."""
    job, progress = scene.job, scene.progress
    leaving = scene.tally.terminating if waits_for_end(job) else []
    over = progress.completed | progress.given_up | {index_of(pod) for pod in (*kept, *leaving)}
    return (index for index in range(job.spec.completions or 0) if index not in over)


def _used(scene: Scene) -> frozenset[str]:
    return frozenset((*scene.taken, *(pod.metadata.name for pod in scene.pods)))

"""What to do about a job: from the job and its pods to writes and a status. Pure."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from shoal.api.job import (
    COMPLETE,
    FAILED,
    SUCCESS_CRITERIA_MET,
    SUSPENDED,
    Job,
    JobCondition,
    JobStatus,
    Uncounted,
)
from shoal.api.meta import find_condition
from shoal.api.pod import Pod
from shoal.controllers.builtin.jobs.indexes import format_indexes
from shoal.controllers.builtin.jobs.progress import Progress, progress_of
from shoal.controllers.builtin.jobs.size import Change, Scene, change_size
from shoal.controllers.builtin.jobs.tally import Tally, tally_pods
from shoal.controllers.builtin.jobs.verdict import verdict_of

_MOST_NOTED: Final = 500
"""Pods that one write of the status notes as ended."""


class Times(msgspec.Struct, frozen=True):
    """What the plan knows of time: ``now`` as it is written, and how long ago things were.

    ``running_s`` counts from the start time, 0 before; ``ended_s`` is by uid of ended pods.
    """

    now: str
    running_s: float = 0.0
    ended_s: Mapping[str, float] = {}


class Plan(msgspec.Struct, frozen=True):
    """What to write, in this order, and in how many seconds to look again at the latest.

    ``create`` are bodies of pods, ``noted`` the ended pods that ``status`` tells of for the
    first time, ``release`` those that lose the finalizer; ``delete`` is done last.
    """

    status: JobStatus
    create: tuple[dict[str, Any], ...] = ()
    noted: tuple[Pod, ...] = ()
    release: tuple[Pod, ...] = ()
    delete: tuple[Pod, ...] = ()
    wake_in: float | None = None


def plan_job(job: Job, pods: Sequence[Pod], times: Times, taken: Collection[str] = ()) -> Plan:
    """The plan for a job that is neither finished nor being deleted.

    ``taken`` are names that belong to pods of others.
    """
    if _resumes(job):
        times = replace(times, running_s=0.0)
    tally = tally_pods(job, pods)
    progress = progress_of(job, pods, tally)
    ending = verdict_of(job, tally, progress, times.running_s)
    scene = Scene(job, pods, tally, progress, times.ended_s, taken)
    change = change_size(scene, ending=ending is not None)
    noted = _noted(job, tally)
    status = _count(job, tally, progress, noted, change)
    status = _begin(job, status, times.now)
    if ending is not None:
        leaving = bool(change.delete or tally.terminating)
        status = _end(status, ending, leaving=leaving, now=times.now)
    counted_apart = tally.succeeded if job.indexed else []
    return Plan(
        status=status,
        create=change.create,
        noted=noted,
        release=(*tally.noted, *noted, *tally.ignored, *counted_apart, *change.give_up),
        delete=(*change.give_up, *change.delete, *tally.stray),
        wake_in=None if ending is not None else _wake_in(job, change, times),
    )


def _noted(job: Job, tally: Tally) -> tuple[Pod, ...]:
    """Pods whose end the status is to tell; successes of an indexed job are told by index."""
    ended = tally.failed if job.indexed else [*tally.succeeded, *tally.failed]
    return tuple(ended[:_MOST_NOTED])


def _count(
    job: Job, tally: Tally, progress: Progress, noted: Sequence[Pod], change: Change
) -> JobStatus:
    before = job.status
    active = [pod for pod in tally.active if pod not in (*change.give_up, *change.delete)]
    status = replace(
        before,
        active=len(active) + len(change.create),
        ready=sum(1 for pod in active if _is_ready(pod)),
        terminating=len(tally.terminating),
        succeeded=before.succeeded + len(tally.counted.succeeded),
        failed=before.failed + len(tally.counted.failed),
        uncounted_terminated_pods=_with_noted(tally.waiting, noted),
    )
    if not job.indexed:
        return status
    given_up = None
    if job.spec.backoff_limit_per_index is not None:
        given_up = format_indexes(progress.given_up)
    return replace(
        status,
        succeeded=progress.succeeded,
        completed_indexes=format_indexes(progress.completed),
        failed_indexes=given_up,
    )


def _with_noted(waiting: Uncounted, noted: Sequence[Pod]) -> Uncounted:
    good = [pod.metadata.uid for pod in noted if pod.status.phase == "Succeeded"]
    bad = [pod.metadata.uid for pod in noted if pod.status.phase != "Succeeded"]
    return Uncounted(succeeded=waiting.succeeded + good, failed=waiting.failed + bad)


def _begin(job: Job, status: JobStatus, now: str) -> JobStatus:
    """Tell of suspension and its end; a job that is resumed starts anew."""
    if job.spec.suspend and job.condition(SUSPENDED) is None:
        told = _condition(SUSPENDED, "JobSuspended", "it was suspended")
        return _with_condition(status, told, now)
    if _resumes(job):
        over = replace(_condition(SUSPENDED, "JobResumed", "it was resumed"), status="False")
        return replace(_with_condition(status, over, now), start_time=now)
    if not job.spec.suspend and status.start_time is None:
        return replace(status, start_time=now)
    return status


def _resumes(job: Job) -> bool:
    """Whether a job is to go on that was told to be suspended: its time begins anew."""
    return not job.spec.suspend and job.condition(SUSPENDED) is not None


def _end(status: JobStatus, ending: JobCondition, *, leaving: bool, now: str) -> JobStatus:
    """Say under which condition the job ends, and its end once no pod is left to count.

    ``leaving``: pods are on their way out, or are about to be deleted.
    """
    if not any(one.type == ending.type for one in status.conditions):
        status = _with_condition(status, ending, now)
    if status.active or leaving or status.uncounted_terminated_pods != Uncounted():
        return status
    good = ending.type == SUCCESS_CRITERIA_MET
    last = _condition(COMPLETE if good else FAILED, ending.reason, ending.message)
    done = _with_condition(status, last, now)
    return replace(done, completion_time=now) if good else done


def _condition(kind: str, reason: str, message: str) -> JobCondition:
    return JobCondition(type=kind, status="True", reason=reason, message=message)


def _with_condition(status: JobStatus, told: JobCondition, now: str) -> JobStatus:
    dated = replace(told, last_probe_time=now, last_transition_time=now)
    others = [one for one in status.conditions if one.type != told.type]
    return replace(status, conditions=[*others, dated])


def _wake_in(job: Job, change: Change, times: Times) -> float | None:
    """When the deadline or the end of a back-off comes, whichever is sooner."""
    waits = [change.wait_s] if change.wait_s > 0 else []
    limit = job.spec.active_deadline_seconds
    if limit is not None and not job.spec.suspend:
        waits.append(max(limit - times.running_s, 0.0))
    return min(waits, default=None)


def _is_ready(pod: Pod) -> bool:
    ready = find_condition(pod.status.conditions, "Ready")
    return ready is not None and ready.status == "True"

"""A job's pods by what they mean for it: running, on their way out, or ended and how counted."""

from collections.abc import Callable, Iterable

import msgspec

from shoal.api.job import COMPLETION_INDEX, INDEX_FAILURES, TRACKING, Job, Uncounted
from shoal.api.pod import Pod
from shoal.controllers.builtin.jobs.policy import Action, action_for, say_failure

_ONLY_FAILED = "Failed"
"""Replacement policy under which a pod on its way out is waited for."""


class Tally(msgspec.Struct):
    """The pods of a job; each that matters is in exactly one of the lists.

    ``stray`` run without the finalizer: they were given up already. ``noted`` have ended and
    are told in the status, but still carry the finalizer. ``counted`` are the uids that were
    told there and have lost it: they belong into the counters now.
    """

    active: list[Pod] = []
    terminating: list[Pod] = []
    stray: list[Pod] = []
    succeeded: list[Pod] = []
    failed: list[Pod] = []
    ignored: list[Pod] = []
    noted: list[Pod] = []
    counted: Uncounted = msgspec.field(default_factory=Uncounted)
    waiting: Uncounted = msgspec.field(default_factory=Uncounted)
    fails_job: str = ""


def tally_pods(job: Job, pods: Iterable[Pod]) -> Tally:
    """Sort the pods that a job controls."""
    tally = Tally()
    told = job.status.uncounted_terminated_pods or Uncounted()
    uids = frozenset((*told.succeeded, *told.failed))
    for pod in sorted(pods, key=lambda pod: pod.metadata.name):
        if pod.metadata.deletion_timestamp is not None and not pod.finished:
            tally.terminating.append(pod)
        if TRACKING not in pod.metadata.finalizers:
            if not pod.finished and pod.metadata.deletion_timestamp is None:
                tally.stray.append(pod)
        elif pod.metadata.uid in uids:
            tally.noted.append(pod)
        else:
            _sort_tracked(tally, job, pod)
    held = {pod.metadata.uid for pod in tally.noted}
    tally.counted = _split(told, lambda uid: uid not in held)
    tally.waiting = _split(told, lambda uid: uid in held)
    return tally


def index_of(pod: Pod) -> int:
    """The completion index of a pod, or -1."""
    text = pod.metadata.annotations.get(COMPLETION_INDEX, "")
    return int(text) if text.isdecimal() else -1


def failures_before(pod: Pod) -> int:
    """How often pods of its index had failed when a pod was made."""
    text = pod.metadata.annotations.get(INDEX_FAILURES, "")
    return int(text) if text.isdecimal() else 0


def waits_for_end(job: Job) -> bool:
    """Whether a pod on its way out is replaced only once it has ended."""
    return job.spec.pod_replacement_policy == _ONLY_FAILED


def has_failed(pod: Pod, job: Job) -> bool:
    """Whether a pod counts as failed; one that has no node ends when it is told to."""
    if pod.status.phase == "Failed":
        return True
    leaves = pod.metadata.deletion_timestamp is not None and pod.status.phase != "Succeeded"
    return leaves and (not waits_for_end(job) or not pod.spec.node_name)


def _sort_tracked(tally: Tally, job: Job, pod: Pod) -> None:
    if pod.status.phase == "Succeeded":
        tally.succeeded.append(pod)
    elif has_failed(pod, job):
        _sort_failed(tally, job, pod)
    elif pod.metadata.deletion_timestamp is None:
        tally.active.append(pod)


def _sort_failed(tally: Tally, job: Job, pod: Pod) -> None:
    action = action_for(pod, job.spec.pod_failure_policy)
    if action is Action.IGNORE:
        tally.ignored.append(pod)
        return
    tally.failed.append(pod)
    if action is Action.FAIL_JOB:
        tally.fails_job = tally.fails_job or say_failure(pod)


def _split(told: Uncounted, keep: Callable[[str], bool]) -> Uncounted:
    return Uncounted(
        succeeded=[uid for uid in told.succeeded if keep(uid)],
        failed=[uid for uid in told.failed if keep(uid)],
    )

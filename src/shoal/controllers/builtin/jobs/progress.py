"""How far a job has come: what has succeeded and failed, in all and by index."""

from collections.abc import Iterable

import msgspec

from shoal.api.job import Job, Uncounted
from shoal.api.pod import Pod
from shoal.controllers.builtin.jobs.indexes import parse_indexes
from shoal.controllers.builtin.jobs.policy import Action, action_for
from shoal.controllers.builtin.jobs.tally import Tally, failures_before, has_failed, index_of


class Progress(msgspec.Struct, frozen=True):
    """Counts that include pods which are not in the status yet.

    ``completed`` and ``given_up`` are completion indexes; ``failures`` says by index how often
    its pods have failed, where that is counted.
    """

    succeeded: int
    failed: int
    completed: frozenset[int] = frozenset()
    given_up: frozenset[int] = frozenset()
    failures: dict[int, int] = {}


def progress_of(job: Job, pods: Iterable[Pod], tally: Tally) -> Progress:
    """How far a job has come by its status and its pods."""
    told = job.status.uncounted_terminated_pods or Uncounted()
    failed = job.status.failed + len(told.failed) + len(tally.failed)
    if not job.indexed:
        succeeded = job.status.succeeded + len(told.succeeded) + len(tally.succeeded)
        return Progress(succeeded, failed)
    ended = parse_indexes(job.status.completed_indexes).union(map(index_of, tally.succeeded))
    completed = frozenset(index for index in ended if is_index(job, index))
    if job.spec.backoff_limit_per_index is None:
        return Progress(len(completed), failed, completed)
    failures = _failures(job, pods)
    given_up = _given_up(job, tally, failures, job.spec.backoff_limit_per_index) - completed
    return Progress(len(completed), failed, completed, given_up, failures)


def is_index(job: Job, index: int) -> bool:
    """Whether a job has a completion of that number."""
    return 0 <= index < (job.spec.completions or 0)


def _failures(job: Job, pods: Iterable[Pod]) -> dict[int, int]:
    """By index: the newest pod knows of those before it, also of those that are gone."""
    failures: dict[int, int] = {}
    for pod in pods:
        index = index_of(pod)
        ignored = action_for(pod, job.spec.pod_failure_policy) is Action.IGNORE
        own = 1 if has_failed(pod, job) and not ignored else 0
        failures[index] = max(failures.get(index, 0), failures_before(pod) + own)
    return failures


def _given_up(job: Job, tally: Tally, failures: dict[int, int], limit: int) -> frozenset[int]:
    policy = job.spec.pod_failure_policy
    ended_by_rule = {
        index_of(pod) for pod in tally.failed if action_for(pod, policy) is Action.FAIL_INDEX
    }
    too_often = {index for index, times in failures.items() if times > limit}
    before = parse_indexes(job.status.failed_indexes or "")
    return frozenset(
        index for index in before.union(ended_by_rule, too_often) if is_index(job, index)
    )

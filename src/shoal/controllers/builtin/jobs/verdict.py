"""Whether a job is to end, and why: the condition that says so, before the last one."""

from collections.abc import Iterable

from shoal.api.job import (
    FAILURE_TARGET,
    SUCCESS_CRITERIA_MET,
    Job,
    JobCondition,
    SuccessRule,
)
from shoal.api.pod import Pod
from shoal.controllers.builtin.jobs.indexes import parse_indexes
from shoal.controllers.builtin.jobs.progress import Progress
from shoal.controllers.builtin.jobs.tally import Tally


def verdict_of(job: Job, tally: Tally, progress: Progress, running_s: float) -> JobCondition | None:
    """The condition under which a job ends, without its times; None while it goes on.

    What was written before stands. ``running_s`` is how long the job has been running.
    """
    for kind in (FAILURE_TARGET, SUCCESS_CRITERIA_MET):
        if (before := job.condition(kind)) is not None:
            return before
    return _failure(job, tally, progress, running_s) or _success(job, tally, progress)


def _failure(job: Job, tally: Tally, progress: Progress, running_s: float) -> JobCondition | None:
    spec = job.spec
    if tally.fails_job:
        told = f"{tally.fails_job}, and its policy says that the job fails then"
        return _fails("PodFailurePolicy", told)
    if progress.failed > spec.backoff_limit:
        return _fails("BackoffLimitExceeded", _say_failures(progress.failed, spec.backoff_limit))
    if _restarted_too_often(job, tally.active):
        told = f"its containers were restarted {spec.backoff_limit} times, which is the limit"
        return _fails("BackoffLimitExceeded", told)
    if is_late(job, running_s):
        return _fails("DeadlineExceeded", f"it ran for its {spec.active_deadline_seconds} s")
    return _failed_indexes(job, progress)


def is_late(job: Job, running_s: float) -> bool:
    """Whether a job has had its time."""
    limit = job.spec.active_deadline_seconds
    return limit is not None and not job.spec.suspend and running_s >= limit


def _failed_indexes(job: Job, progress: Progress) -> JobCondition | None:
    given_up, most = len(progress.given_up), job.spec.max_failed_indexes
    if most is not None and given_up > most:
        told = f"{given_up} indexes failed, and {most} may"
        return _fails("MaxFailedIndexesExceeded", told)
    if given_up and given_up + progress.succeeded >= (job.spec.completions or 0):
        return _fails("FailedIndexes", f"{given_up} of its indexes failed")
    return None


def _success(job: Job, tally: Tally, progress: Progress) -> JobCondition | None:
    spec = job.spec
    rules = spec.success_policy.rules if spec.success_policy is not None else ()
    if any(_is_met(rule, progress.completed) for rule in rules):
        return _succeeds(
            "SuccessPolicy", "the indexes that its success policy names have succeeded"
        )
    if spec.completions is None:
        done = progress.succeeded > 0 and not tally.active
    else:
        done = progress.succeeded >= spec.completions
    return _succeeds("CompletionsReached", _say_successes(progress.succeeded)) if done else None


def _is_met(rule: SuccessRule, completed: frozenset[int]) -> bool:
    if rule.succeeded_indexes is None:
        return rule.succeeded_count is not None and len(completed) >= rule.succeeded_count
    named = parse_indexes(rule.succeeded_indexes)
    wanted = len(named) if rule.succeeded_count is None else rule.succeeded_count
    return len(named & completed) >= wanted


def _restarted_too_often(job: Job, active: Iterable[Pod]) -> bool:
    """Pods that restart their own containers do not fail, so their restarts are counted."""
    pods = [pod for pod in active if pod.spec.restart_policy == "OnFailure"]
    restarts = sum(
        status.restart_count
        for pod in pods
        for status in (*pod.status.init_container_statuses, *pod.status.container_statuses)
    )
    return restarts > 0 and restarts >= job.spec.backoff_limit


def _say_failures(failed: int, limit: int) -> str:
    pods = "1 pod" if failed == 1 else f"{failed} pods"
    return f"{pods} failed, and {limit or 'none'} may"


def _say_successes(succeeded: int) -> str:
    return "its pod has succeeded" if succeeded == 1 else f"{succeeded} pods have succeeded"


def _fails(reason: str, message: str) -> JobCondition:
    return JobCondition(type=FAILURE_TARGET, status="True", reason=reason, message=message)


def _succeeds(reason: str, message: str) -> JobCondition:
    return JobCondition(type=SUCCESS_CRITERIA_MET, status="True", reason=reason, message=message)

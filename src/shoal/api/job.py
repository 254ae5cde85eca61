"""A typed view of Job (``batch/v1``): the fields that its controller reads, and its status.

Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from typing import Any, Final

import msgspec

from shoal.api.meta import Object, View

JOB_CONTROLLER: Final = "kubernetes.io/job-controller"
"""Value of ``managedBy`` that means the builtin controller."""
TRACKING: Final = "batch.kubernetes.io/job-tracking"
"""Finalizer of a job's pod that is not counted yet."""
COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
"""Annotation and label of a pod of an indexed job."""
INDEX_FAILURES: Final = "batch.kubernetes.io/job-index-failure-count"
"""Annotation: how often pods of this index had failed when this one was made."""
INDEXED: Final = "Indexed"
SUCCESS_CRITERIA_MET: Final = "SuccessCriteriaMet"
COMPLETE: Final = "Complete"
FAILURE_TARGET: Final = "FailureTarget"
FAILED: Final = "Failed"
SUSPENDED: Final = "Suspended"


class ExitCodes(View):
    """``onExitCodes``: of one container, or of any where none is named."""

    container_name: str | None = None
    operator: str = "In"
    values: list[int] = []


class ConditionPattern(View):
    """An entry of ``onPodConditions``."""

    type: str = ""
    status: str = "True"


class FailureRule(View):
    """One rule of a pod failure policy; the first that matches decides."""

    action: str = "Count"
    on_exit_codes: ExitCodes | None = None
    on_pod_conditions: list[ConditionPattern] = []


class FailurePolicy(View):
    """What the end of a pod means for the job."""

    rules: list[FailureRule] = []


class SuccessRule(View):
    """Which indexes, or how many, are enough."""

    succeeded_indexes: str | None = None
    succeeded_count: int | None = None


class SuccessPolicy(View):
    """When an indexed job has succeeded though not all of it has."""

    rules: list[SuccessRule] = []


class JobSpec(View):
    """What is asked for. ``template`` is a pod as it is written."""

    parallelism: int = 1
    completions: int | None = None
    completion_mode: str = "NonIndexed"
    backoff_limit: int = 6
    backoff_limit_per_index: int | None = None
    max_failed_indexes: int | None = None
    active_deadline_seconds: int | None = None
    ttl_seconds_after_finished: int | None = None
    suspend: bool = False
    managed_by: str | None = None
    pod_replacement_policy: str = "TerminatingOrFailed"
    pod_failure_policy: FailurePolicy | None = None
    success_policy: SuccessPolicy | None = None
    template: dict[str, Any] = {}


class Uncounted(View):
    """Uids of pods that have ended and still carry the finalizer, or did a moment ago."""

    succeeded: list[str] = []
    failed: list[str] = []


class JobCondition(View):
    """One entry of ``status.conditions``."""

    type: str = ""
    status: str = "Unknown"
    reason: str = ""
    message: str = ""
    last_probe_time: str | None = None
    last_transition_time: str | None = None


class JobStatus(View):
    """What became of it. Times are RFC 3339, of whole seconds."""

    active: int = 0
    ready: int | None = None
    terminating: int | None = None
    succeeded: int = 0
    failed: int = 0
    completed_indexes: str = ""
    failed_indexes: str | None = None
    start_time: str | None = None
    completion_time: str | None = None
    uncounted_terminated_pods: Uncounted | None = None
    conditions: list[JobCondition] = []


class Job(Object):
    """Pods that are run until enough of them have succeeded."""

    spec: JobSpec = msgspec.field(default_factory=JobSpec)
    status: JobStatus = msgspec.field(default_factory=JobStatus)

    def condition(self, kind: str) -> JobCondition | None:
        """The condition of that type, where it is true."""
        return true_condition(self.status, kind)

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen."""
        return self.condition(COMPLETE) is not None or self.condition(FAILED) is not None

    @property
    def indexed(self) -> bool:
        """Whether each completion has a number of its own."""
        return self.spec.completion_mode == INDEXED


def true_condition(status: JobStatus, kind: str) -> JobCondition | None:
    """The condition of that type, where it is true."""
    return next((c for c in status.conditions if c.type == kind and c.status == "True"), None)

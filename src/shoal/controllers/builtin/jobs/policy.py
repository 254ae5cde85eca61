"""What the end of a pod means for its job, by the job's pod failure policy."""

from enum import StrEnum

from shoal.api.job import ExitCodes, FailurePolicy, FailureRule
from shoal.api.meta import find_condition
from shoal.api.pod import Pod, TerminatedState


class Action(StrEnum):
    """What a rule says."""

    COUNT = "Count"
    IGNORE = "Ignore"
    FAIL_JOB = "FailJob"
    FAIL_INDEX = "FailIndex"


def action_for(pod: Pod, policy: FailurePolicy | None) -> Action:
    """What the first rule that matches a failed pod says; a pod that none matches counts."""
    if policy is None or pod.status.phase != "Failed":
        return Action.COUNT
    rule = next((rule for rule in policy.rules if _matches(pod, rule)), None)
    known = rule is not None and rule.action in Action.__members__.values()
    return Action(rule.action) if rule is not None and known else Action.COUNT


def say_failure(pod: Pod) -> str:
    """How a pod failed, for the sentence of its job."""
    for name, end in _ends(pod):
        if end.exit_code:
            return f"container {name} of pod {pod.metadata.name} exited with {end.exit_code}"
    return f"pod {pod.metadata.name} failed"


def _matches(pod: Pod, rule: FailureRule) -> bool:
    if rule.on_exit_codes is not None:
        codes = rule.on_exit_codes
        return any(_fits(name, end.exit_code, codes) for name, end in _ends(pod))
    return any(
        (found := find_condition(pod.status.conditions, pattern.type)) is not None
        and found.status == pattern.status
        for pattern in rule.on_pod_conditions
    )


def _fits(name: str, code: int, codes: ExitCodes) -> bool:
    """Whether an exit code is meant; 0 never is, since such a container has not failed."""
    if code == 0 or (codes.container_name is not None and codes.container_name != name):
        return False
    return (code in codes.values) == (codes.operator == "In")


def _ends(pod: Pod) -> list[tuple[str, TerminatedState]]:
    told = (*pod.status.init_container_statuses, *pod.status.container_statuses)
    return [(s.name, s.state.terminated) for s in told if s.state.terminated is not None]

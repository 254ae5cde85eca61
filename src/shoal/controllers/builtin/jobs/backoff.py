"""How long a job waits after a failed pod before it makes another one."""

from collections.abc import Iterable, Mapping
from typing import Final

from shoal.api.job import Job
from shoal.api.pod import Pod
from shoal.controllers.builtin.jobs.tally import has_failed

_FIRST_S: Final = 10.0
_LONGEST_S: Final = 600.0
_MOST_DOUBLINGS: Final = 10


def seconds_to_wait(job: Job, pods: Iterable[Pod], ended_s: Mapping[str, float]) -> float:
    """Seconds until the next pod may be made, after the last failures in a row; 0 for now.

    ``ended_s`` says by uid how long ago a pod ended. Twice as long after each further failure.
    """
    ends = [(ended_s[pod.metadata.uid], pod) for pod in pods if pod.metadata.uid in ended_s]
    last_success = min((ago for ago, pod in ends if not has_failed(pod, job)), default=None)
    failures = [
        ago
        for ago, pod in ends
        if has_failed(pod, job) and (last_success is None or ago <= last_success)
    ]
    if not failures:
        return 0.0
    wait = _FIRST_S * 2 ** min(len(failures) - 1, _MOST_DOUBLINGS)
    return float(max(min(wait, _LONGEST_S) - min(failures), 0.0))

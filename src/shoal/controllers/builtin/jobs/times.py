"""How long ago something was, by a clock that nobody can set."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from shoal.api.job import Job
from shoal.api.pod import Pod
from shoal.controllers.builtin.jobs.bases import Base, ago_ms
from shoal.controllers.builtin.jobs.plan import Times
from shoal.units.errors import UnitError
from shoal.units.instant import format_seconds, parse_instant
from shoal.units.steady import steady_ms

_MS: Final = 1000.0


class Watches:
    """Remembers when it first saw a pod's end: what was written may have been ahead of time."""

    def __init__(self, now_ms: Callable[[], int] = steady_ms) -> None:
        self._now_ms = now_ms
        self._bases: Sequence[Base] = (Base(0, 0),)
        self._seen: dict[str, int] = {}

    def know(self, bases: Sequence[Base]) -> None:
        """By which bases instants were written; the last is that of ``now_ms``."""
        self._bases = bases

    def times(self, job: Job, pods: Iterable[Pod]) -> Times:
        """The times of a job and its pods."""
        now = self._now_ms()
        started = job.status.start_time
        return Times(
            now=format_seconds(now),
            running_s=self._ago(started, now) if started else 0.0,
            ended_s={
                pod.metadata.uid: self._ended(pod, now)
                for pod in pods
                if pod.finished or pod.metadata.deletion_timestamp is not None
            },
        )

    def seconds_since(self, instant: str | None) -> float:
        """Seconds since an instant that a controller wrote; 0 for one that cannot be read."""
        return self._ago(instant or "", self._now_ms())

    def forget(self, pod_uid: str) -> None:
        """A pod is gone."""
        self._seen.pop(pod_uid, None)

    def _ended(self, pod: Pod, now: int) -> float:
        first = self._seen.setdefault(pod.metadata.uid, now)
        return max(self._ago(_end_of(pod), now), (now - first) / _MS)

    def _ago(self, instant: str, now: int) -> float:
        try:
            since_boot = now - self._bases[-1].offset_ms
            return ago_ms(self._bases, parse_instant(instant), since_boot) / _MS
        except UnitError:
            return 0.0


def _end_of(pod: Pod) -> str:
    """When the last container of a pod ended; empty where nothing tells."""
    told = (*pod.status.init_container_statuses, *pod.status.container_statuses)
    ends = [s.state.terminated.finished_at or "" for s in told if s.state.terminated is not None]
    return max(ends, default="")

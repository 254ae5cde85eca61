"""What is known of a pod from before this agent: what was told of it, and when its time began."""

import contextlib
from collections.abc import Iterable

from shoal.agent.containers import ContainerView, Waiting
from shoal.agent.home import PodHome
from shoal.agent.machine import now_ns
from shoal.agent.record import RecordError, read_record
from shoal.agent.status import PodView
from shoal.api.meta import ANNOTATION_TIME_LIMIT
from shoal.api.pod import Container, ContainerStatus, Pod
from shoal.units.instant import parse_instant
from shoal.units.steady import boot_ns


def view_of(pod: Pod) -> PodView:
    """The pod as the agent before this one, if there was one, has told of it."""
    status = pod.status
    first = Waiting(first_reason(pod))
    init = [
        _view(c, status.init_container_statuses, first, beside=c.beside)
        for c in pod.spec.init_containers
    ]
    main = [_view(c, status.container_statuses, first) for c in pod.spec.containers]
    since = {c.type: (c.status, c.last_transition_time or "") for c in status.conditions}
    return PodView(pod.metadata.uid, _since(pod), init, main, since)


def first_reason(pod: Pod) -> str:
    """What each container waits for at first: others that come before it, or just its making."""
    return "PodInitializing" if pod.spec.init_containers else Waiting().reason


def since_boot(boot_id: str, home: PodHome, since_ns: int) -> int:
    """When a pod's time began, in ns since the kernel was started; ``since_ns`` is since the epoch.

    As put on record, where a program was started.

    Only where none was is the clock asked, which somebody may have set meanwhile.
    """
    for path in home.records:
        with contextlib.suppress(RecordError):
            record = read_record(path)
            if record.boot_id == boot_id:
                return record.since_boot_ns
    return boot_ns() - max(now_ns() - since_ns, 0)


def first_start(boot_id: str, home: PodHome, containers: Iterable[str]) -> int:
    """When the first of these containers' programs started, in ns since the kernel was.

    0 where none was in this boot.
    """
    starts = []
    for name in containers:
        for path in home.container(name).glob("*.record"):
            with contextlib.suppress(RecordError):
                record = read_record(path)
                if record.boot_id == boot_id and record.started_boot_ns:
                    starts.append(record.started_boot_ns)
    return min(starts, default=0)


def is_time_limit(pod: Pod) -> bool:
    """Whether a pod's deadline is the limit of its run, which counts from the program's start.

    A shorter one was set since, so that the pod ends, be it started or not.
    """
    limit = pod.metadata.annotations.get(ANNOTATION_TIME_LIMIT, "")
    return limit == str(pod.spec.active_deadline_seconds)


def _view(
    container: Container, told: list[ContainerStatus], first: Waiting, *, beside: bool = False
) -> ContainerView:
    status = next((one for one in told if one.name == container.name), ContainerStatus())
    states = (status.state.running, status.state.terminated, status.last_state.terminated)
    begun = status.restart_count if any(states) else -1
    return ContainerView(container.name, container.image, state=first, begun=begun, beside=beside)


def _since(pod: Pod) -> int:
    """When this agent, or the one before it, first saw the pod."""
    if pod.status.start_time is None:
        return now_ns()
    return parse_instant(pod.status.start_time) * 1_000_000

"""What there is to tell of a pod, and what one that has not started waits for."""

from collections.abc import Mapping

from shoal.api.kinds import PODS, RESOURCE_CLAIMS
from shoal.api.meta import LABEL_GANG, LABEL_RANK, LABEL_RUN, find_condition
from shoal.api.pod import Container, ContainerStatus, Pod
from shoal.cli.claims import held_facts
from shoal.cli.context import Here
from shoal.cli.facts import Facts, clock_of
from shoal.cli.places import read_cards
from shoal.cli.say import now_ms, span_seconds
from shoal.cli.scheduler import ask_waits
from shoal.units.duration import say_duration


def say_waits(here: Here) -> dict[str, str]:
    """What each pod that has not started waits for, by its name."""
    pods = here.client.list(PODS, here.namespace, fields="status.phase=Pending").items
    lines = {line.key: line.message for line in ask_waits(here)} if pods else {}
    return {pod.metadata.name: _wait(pod, lines) for pod in pods}


def pod_facts(here: Here, pod: Pod) -> Facts:
    """Whose it is, what it runs, where it is and how it goes; nothing empty."""
    meta, status, labels = pod.metadata, pod.status, pod.metadata.labels
    run = labels.get(LABEL_RUN, "")
    facts = [
        ("Name", meta.name),
        ("Namespace", meta.namespace),
        ("Run", f"{run}, replica {labels.get(LABEL_RANK, '0')}" if run else ""),
        ("Gang", labels.get(LABEL_GANG, "")),
        ("Phase", _phase(pod)),
        ("Waits for", say_waits(here).get(meta.name, "") if status.phase == "Pending" else ""),
        ("Because", status.message or status.reason),
        ("Node", pod.spec.node_name),
        *_cards(here, pod),
        *(_program(one, status.container_statuses) for one in pod.spec.containers),
        ("Created", clock_of(meta.creation_timestamp)),
        ("Started", clock_of(status.start_time)),
    ]
    return [fact for fact in facts if fact[1]]


def _wait(pod: Pod, lines: Mapping[str, str]) -> str:
    """In the agent's words once it has a node, in the scheduler's before."""
    states = [one.state.waiting for one in pod.status.container_statuses]
    told = next((state.message or state.reason for state in states if state is not None), "")
    if pod.spec.node_name:
        return told
    meta, scheduled = pod.metadata, find_condition(pod.status.conditions, "PodScheduled")
    key = f"{meta.namespace}/{meta.labels.get(LABEL_GANG) or meta.name}"
    return lines.get(key) or (scheduled.message if scheduled is not None else "")


def _phase(pod: Pod) -> str:
    status = pod.status
    begin = status.start_time or pod.metadata.creation_timestamp
    ends = [one.state.terminated for one in status.container_statuses]
    end = max((state.finished_at or "" for state in ends if state is not None), default="")
    time = say_duration(span_seconds(begin, (end or None) if pod.finished else None, now_ms()))
    return f"{status.phase.lower()} {'after' if pod.finished else 'for'} {time}"


def _cards(here: Here, pod: Pod) -> Facts:
    """What its claims hold; those of a pod that has ended hold nothing."""
    names = {name for _, name in pod.claim_names()}
    if not names or pod.finished:
        return []
    claims = here.client.list(RESOURCE_CLAIMS, here.namespace).items
    mine = [claim for claim in claims if claim.metadata.name in names]
    cards = read_cards(here)
    held = [fact for claim in mine for fact in held_facts(claim, cards)]
    return held or [("Cards", "none yet")]


def _program(container: Container, statuses: list[ContainerStatus]) -> tuple[str, str]:
    import shlex

    status = next((one for one in statuses if one.name == container.name), ContainerStatus())
    command = shlex.join([*container.command, *container.args])
    told = [command, f"image {container.image}", _state(status)]
    if status.restart_count:
        told.append(f"restarted {status.restart_count} times")
    return f"Program {container.name}", " · ".join(filter(None, told))


def _state(status: ContainerStatus) -> str:
    state = status.state
    if state.running is not None:
        return f"running since {clock_of(state.running.started_at)}"
    if state.terminated is None:
        return ""
    end = state.terminated
    how = f"killed by signal {end.signal}" if end.signal else f"exited with {end.exit_code}"
    return f"{how} at {clock_of(end.finished_at)}"

"""Emptying a box before it goes down: no new work, then wait for what runs, or end it.

A node closed for this carries an annotation, so that the next ``up`` opens it again and leaves
one alone that somebody cordoned for another reason.
"""

import time
from collections.abc import Callable
from typing import Final

from shoal.api.kinds import NODES, PODS, RUNS
from shoal.api.meta import ANNOTATION_CLOSED_BY_DOWN, LABEL_RUN
from shoal.api.pod import Pod
from shoal.cli.box.facts import active_pods, active_runs
from shoal.kube.blocking import BlockingClient
from shoal.kube.errors import ApiError

_LOOK_SECONDS: Final = 0.25


def empty(client: BlockingClient, *, kill: bool, tell: Callable[[list[str]], None]) -> None:
    """Return once nothing runs and nothing new can start; with ``kill``, end what runs.

    ``tell`` is given what is waited for as it changes. Interrupted, the box takes work again.
    """
    _close(client)
    try:
        if kill:
            _end_all(client)
        _wait(client, tell)
    except BaseException:
        reopen(client)
        raise


def reopen(client: BlockingClient) -> None:
    """Have the nodes that were closed here take work again."""
    for node in client.list(NODES).items:
        if ANNOTATION_CLOSED_BY_DOWN in node.metadata.annotations:
            _set_closed(client, node.metadata.name, closed=False)


def _close(client: BlockingClient) -> None:
    for node in client.list(NODES).items:
        if not node.spec.unschedulable:
            _set_closed(client, node.metadata.name, closed=True)


def _end_all(client: BlockingClient) -> None:
    """Ask every active run to stop, and delete active pods that belong to none."""
    for run in active_runs(client):
        stop = {"spec": {"stop": True}}
        client.patch(RUNS, run.metadata.name, run.metadata.namespace, patch=stop)
    for pod in active_pods(client):
        if LABEL_RUN not in pod.metadata.labels:
            _delete(client, pod)


def _wait(client: BlockingClient, tell: Callable[[list[str]], None]) -> None:
    last: list[str] = []
    while active := [_name(pod) for pod in active_pods(client)]:
        names = sorted(set(active))
        if names != last:
            tell(names)
        last = names
        time.sleep(_LOOK_SECONDS)


def _name(pod: Pod) -> str:
    return pod.metadata.labels.get(LABEL_RUN) or pod.metadata.name


def _set_closed(client: BlockingClient, node: str, *, closed: bool) -> None:
    mark = "true" if closed else None
    patch = {
        "metadata": {"annotations": {ANNOTATION_CLOSED_BY_DOWN: mark}},
        "spec": {"unschedulable": True if closed else None},
    }
    client.patch(NODES, node, patch=patch)


def _delete(client: BlockingClient, pod: Pod) -> None:
    try:
        client.delete(PODS, pod.metadata.name, pod.metadata.namespace)
    except ApiError as error:
        if not error.not_found:
            raise

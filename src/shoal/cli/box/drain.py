"""Emptying a box before it goes down: no new work, then wait for what runs, or end it.

A node closed for this carries an annotation, so that the next ``up`` opens it again and leaves
one alone that somebody cordoned for another reason.
"""

import time
from collections.abc import Callable
from typing import Final

from shoal.api.kinds import NODES, PODS, RUNS
from shoal.api.meta import LABEL_RUN
from shoal.api.pod import Pod
from shoal.cli.box.facts import active_pods, active_runs
from shoal.kube.blocking import BlockingClient
from shoal.kube.errors import ApiError

_CLOSED_BY_DOWN: Final = "shoal.dev/closed-by-down"
_LOOK_SECONDS: Final = 0.25


def close(client: BlockingClient) -> None:
    """Have no node take new work."""
    for node in client.list(NODES).items:
        if not node.spec.unschedulable:
            _set_closed(client, node.metadata.name, closed=True)


def reopen(client: BlockingClient) -> None:
    """Have the nodes that ``close`` closed take work again."""
    for node in client.list(NODES).items:
        if _CLOSED_BY_DOWN in node.metadata.annotations:
            _set_closed(client, node.metadata.name, closed=False)


def end_all(client: BlockingClient) -> None:
    """Ask every active run to stop, and delete active pods that belong to none."""
    for run in active_runs(client):
        client.patch(
            RUNS, run.metadata.name, run.metadata.namespace, patch={"spec": {"stop": True}}
        )
    for pod in active_pods(client):
        if LABEL_RUN not in pod.metadata.labels:
            _delete(client, pod)


def wait_empty(client: BlockingClient, tell: Callable[[int], None]) -> None:
    """Return once nothing is active; ``tell`` is given the number of pods as it changes."""
    last = -1
    while (count := len(active_pods(client))) > 0:
        if count != last:
            tell(count)
        last = count
        time.sleep(_LOOK_SECONDS)


def _set_closed(client: BlockingClient, node: str, *, closed: bool) -> None:
    mark = "true" if closed else None
    patch = {
        "metadata": {"annotations": {_CLOSED_BY_DOWN: mark}},
        "spec": {"unschedulable": True if closed else None},
    }
    client.patch(NODES, node, patch=patch)


def _delete(client: BlockingClient, pod: Pod) -> None:
    try:
        client.delete(PODS, pod.metadata.name, pod.metadata.namespace)
    except ApiError as error:
        if not error.not_found:
            raise

"""Emptying a box before it goes down: no new work, then wait for what runs, or end it.

A node closed for this carries an annotation, so that the next ``up`` opens it again and leaves
one alone that somebody cordoned for another reason.
"""

import time
from collections.abc import Callable
from typing import Final

from shoal.api.kinds import NODES, PODS, RUNS
from shoal.api.meta import ANNOTATION_CLOSED_BY_DOWN, ANNOTATION_ENDED_BY, LABEL_RUN
from shoal.api.node import Node, is_unknown
from shoal.api.pod import Pod
from shoal.cli.box.facts import active_pods, active_runs
from shoal.kube.blocking import BlockingClient
from shoal.kube.errors import ApiError

_LOOK_SECONDS: Final = 0.25
_AT_ONCE_S: Final = 1
"""The shortest deadline that a pod may have."""
_BY: Final = "shoal down --kill"


def empty(client: BlockingClient, *, kill: bool, tell: Callable[[list[str]], None]) -> list[str]:
    """Return once nothing runs and nothing new can start; with ``kill``, end what runs.

    ``tell`` is given what is waited for as it changes. Interrupted, the box takes work again.
    With ``kill``, what is on a node that does not answer is not waited for, since nobody is
    there to end it: its names are the result.
    """
    _close(client)
    try:
        if kill:
            _end_all(client)
        return _wait(client, tell, kill=kill)
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
    """Ask every active run to stop, and end active pods that belong to none."""
    for run in active_runs(client):
        stop = {"spec": {"stop": True}}
        client.patch(RUNS, run.metadata.name, run.metadata.namespace, patch=stop)
    for pod in active_pods(client):
        if LABEL_RUN not in pod.metadata.labels:
            _end(client, pod)


def _wait(client: BlockingClient, tell: Callable[[list[str]], None], *, kill: bool) -> list[str]:
    last: list[str] = []
    while active := active_pods(client):
        awaited = _answering(active, client.list(NODES).items) if kill else active
        if not awaited:
            break
        names = sorted({_name(pod) for pod in awaited})
        if names != last:
            tell(names)
        last = names
        time.sleep(_LOOK_SECONDS)
    return sorted({_name(pod) for pod in active})


def _answering(pods: list[Pod], nodes: list[Node]) -> list[Pod]:
    """The pods that have an agent to end them."""
    answering = {node.metadata.name for node in nodes if not is_unknown(node)}
    return [pod for pod in pods if pod.spec.node_name in answering]


def _name(pod: Pod) -> str:
    return pod.metadata.labels.get(LABEL_RUN) or pod.metadata.name


def _set_closed(client: BlockingClient, node: str, *, closed: bool) -> None:
    mark = "true" if closed else None
    patch = {
        "metadata": {"annotations": {ANNOTATION_CLOSED_BY_DOWN: mark}},
        "spec": {"unschedulable": True if closed else None},
    }
    client.patch(NODES, node, patch=patch)


def _end(client: BlockingClient, pod: Pod) -> None:
    """Have a pod end as runs have theirs end: what it printed stays, and so does its object."""
    told = {"metadata": {"annotations": {ANNOTATION_ENDED_BY: _BY}}}
    shortened = told | {"spec": {"activeDeadlineSeconds": _AT_ONCE_S}}
    try:
        client.patch(PODS, pod.metadata.name, pod.metadata.namespace, patch=shortened)
    except ApiError as error:
        if not error.not_found:
            raise

"""Ending a box: what nobody is there to end is not waited for."""

from typing import Any

import msgspec

from shoal.api.kinds import NODES
from shoal.api.node import Node
from shoal.api.pod import Pod
from shoal.cli.box import drain


class Listed:
    """A client that reads one node and one bound pod, and takes every write."""

    def __init__(self, ready: str) -> None:
        condition = {"type": "Ready", "status": ready}
        node = {"metadata": {"name": "far"}, "status": {"conditions": [condition]}}
        pod = {"metadata": {"name": "bk"}, "spec": {"nodeName": "far"}}
        self.nodes = [msgspec.convert(node, Node)]
        self.pods = [msgspec.convert(pod, Pod)]

    def list(self, kind: Any) -> Any:
        class Answer:
            items: Any = self.nodes if kind is NODES else self.pods if kind is drain.PODS else []

        return Answer

    def patch(self, *_: Any, **__: Any) -> None: ...


def test_kill_leaves_what_is_on_a_node_that_does_not_answer() -> None:
    client: Any = Listed("Unknown")
    assert drain.empty(client, kill=True, tell=lambda _: None) == ["bk"]


def test_kill_waits_for_what_is_on_a_node_that_answers() -> None:
    client: Any = Listed("True")
    told: list[list[str]] = []

    def tell(names: list[str]) -> None:
        told.append(names)
        client.pods = []

    assert drain.empty(client, kill=True, tell=tell) == []
    assert told == [["bk"]]

"""Pods that a NoExecute taint ends, at once or after a while, and those that it does not."""

import uuid

import pytest

from shoal.api.kinds import NODES, PODS
from shoal.api.meta import ObjectMeta, find_condition
from shoal.api.pod import Pod, PodSpec, Toleration
from shoal.controllers.builtin.taints import patience_of
from shoal.core.taints import Taint

OLD = Taint("old", "NoExecute")
TEAM = Taint("team", "NoExecute", "a")


def tolerating(*tolerations):
    spec = PodSpec(tolerations=[Toleration(operator="Exists", **one) for one in tolerations])
    return Pod(metadata=ObjectMeta(name="a"), spec=spec)


@pytest.mark.parametrize(
    ("tolerations", "patience"),
    [
        ([], 0),
        ([{"key": "old"}], 0),
        ([{"key": "old"}, {"key": "team"}], None),
        ([{"key": "old", "toleration_seconds": 60}, {"key": "team"}], 60),
        ([{"toleration_seconds": 30}, {"key": "old", "toleration_seconds": 60}], 30),
        ([{"toleration_seconds": -5}], 0),
        ([{}, {"key": "other", "toleration_seconds": 1}], None),
    ],
)
def test_the_shortest_toleration_that_covers_a_taint_counts(tolerations, patience):
    assert patience_of(tolerating(*tolerations), (OLD, TEAM)) == patience


@pytest.fixture
async def node(hand):
    """A node for the pods of one test."""
    name = f"n-{uuid.uuid4().hex[:8]}"
    await hand.client.create(NODES, {"metadata": {"name": name}})
    return name


async def placed(hand, node, name, *tolerations):
    """A pod that runs on a node."""
    spec = {
        "containers": [{"name": "main", "image": "host"}],
        "tolerations": [
            {"operator": "Exists", "effect": "NoExecute", **one} for one in tolerations
        ],
    }
    await hand.make(PODS, name, spec=spec)
    await hand.bind(name, node)
    await hand.start(name)


async def taint(hand, node, *effects):
    """Have just these taints on a node."""
    taints = [{"key": "old", "effect": effect} for effect in effects]
    await hand.client.patch(NODES, node, patch={"spec": {"taints": taints}})


async def leaves(hand, name):
    """The pod, once it is being deleted."""

    async def look():
        pod = await hand.client.get(PODS, name, hand.namespace)
        return pod if pod.metadata.deletion_timestamp else None

    return await hand.until(look)


async def stays(hand, name):
    return (await hand.there(PODS, name)).metadata.deletion_timestamp is None


async def test_a_pod_that_does_not_tolerate_it_is_deleted_and_told_why(hand, node):
    await placed(hand, node, "plain")
    await placed(hand, node, "patient", {"key": "old"})
    await taint(hand, node, "NoExecute")
    pod = await leaves(hand, "plain")
    told = find_condition(pod.status.conditions, "DisruptionTarget")
    assert told is not None
    assert (told.status, told.reason) == ("True", "DeletionByTaintManager")
    assert told.message == f"{node} is tainted old:NoExecute"
    assert await stays(hand, "patient")


async def test_a_pod_that_comes_to_a_tainted_node_is_deleted_too(hand, node):
    await taint(hand, node, "NoExecute")
    await placed(hand, node, "late")
    await leaves(hand, "late")


async def test_a_pod_may_tolerate_it_for_a_while(hand, node):
    await placed(hand, node, "short", {"key": "old", "tolerationSeconds": 1})
    await placed(hand, node, "long", {"key": "old", "tolerationSeconds": 3600})
    await taint(hand, node, "NoExecute")
    await leaves(hand, "short")
    assert await stays(hand, "long")


async def test_only_no_execute_ends_what_runs(hand, node):
    await placed(hand, node, "plain")
    await taint(hand, node, "NoSchedule", "PreferNoSchedule")
    other = await hand.client.create(NODES, {"metadata": {"generateName": "n-"}})
    await placed(hand, other.metadata.name, "elsewhere")
    await taint(hand, other.metadata.name, "NoExecute")
    await leaves(hand, "elsewhere")
    assert await stays(hand, "plain")

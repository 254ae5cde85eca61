"""What a box starts with, and namespaces that go."""

import subprocess
import sys
import time

import pytest
from tests import serving

from shoal.api.kinds import (
    CONFIG_MAPS,
    DEVICE_CLASSES,
    EVENTS,
    NAMESPACES,
    PODS,
    PRIORITY_CLASSES,
    QUEUES,
    RUNS,
    SERVICE_ACCOUNTS,
    Kind,
)
from shoal.api.meta import DRIVER, Object
from shoal.controllers.bootstrap import bootstrap
from shoal.controllers.builtin.events import KEPT_MS, expire_events


async def test_a_box_starts_with_what_runs_need(hand, client):
    for kind, names in (
        (NAMESPACES, ("default", "shoal-system", "kube-system")),
        (PRIORITY_CLASSES, ("low", "normal", "high")),
        (DEVICE_CLASSES, (DRIVER,)),
    ):
        for name in names:
            await hand.until(lambda kind=kind, name=name: client.get(kind, name))
    await client.get(QUEUES, "default", "default")
    high = await client.get_raw(PRIORITY_CLASSES, "high")
    assert high["value"] == 1000


async def test_what_is_there_already_is_left_as_it_is(hand, client):
    await hand.until(lambda: client.get(QUEUES, "default", "default"))
    label = {"metadata": {"labels": {"kept": "yes"}}}
    await client.patch(QUEUES, "default", "default", patch=label)
    await bootstrap(client)
    queue = await client.get(QUEUES, "default", "default")
    assert queue.metadata.labels == {"kept": "yes"}


async def test_a_namespace_that_is_deleted_is_emptied_and_goes(hand, client):
    await hand.submit("digits")
    await hand.bind("digits-0")
    await hand.start("digits-0")
    await hand.make(CONFIG_MAPS, "settings")
    await client.delete(NAMESPACES, hand.namespace)
    await hand.gone(RUNS, "digits")
    await hand.gone(CONFIG_MAPS, "settings")
    assert (await client.get(NAMESPACES, hand.namespace)).metadata.deletion_timestamp
    await client.delete(PODS, "digits-0", hand.namespace, grace=0)
    await hand.until(lambda: absent(client, hand.namespace))


async def test_a_run_leaves_a_story(hand, client):
    await hand.submit("digits")
    await hand.bind("digits-0")
    await hand.start("digits-0")
    await hand.run_in("digits", "Running")
    await hand.end("digits-0", code=7)
    await hand.run_in("digits", "Failed")

    async def told():
        events = (await client.list(EVENTS, hand.namespace)).items
        raw = [await client.get_raw(EVENTS, e.metadata.name, hand.namespace) for e in events]
        story = {(event["type"], event["reason"], event["message"]) for event in raw}
        return ("Warning", "Failed", "replica 0 exited with 7") in story and story

    story = await hand.until(told)
    assert ("Normal", "Running", "on box1") in story


async def test_events_go_when_they_are_old(hand, client):
    involved = {"kind": "ConfigMap", "name": "x", "namespace": hand.namespace}
    await hand.make(EVENTS, "told", involvedObject=involved, reason="Told", message="once")
    now = time.time_ns() // 1_000_000
    await expire_events(client, now)
    await hand.there(EVENTS, "told")
    await expire_events(client, now + KEPT_MS + 60_000)
    await hand.gone(EVENTS, "told")


async def absent(client, namespace):
    names = [item.metadata.name for item in (await client.list(NAMESPACES)).items]
    return namespace not in names


async def test_every_namespace_has_a_service_account_and_gets_it_back(hand, client):
    await hand.there(SERVICE_ACCOUNTS, "default")
    first = await client.get(SERVICE_ACCOUNTS, "default", hand.namespace)
    await client.delete(SERVICE_ACCOUNTS, "default", hand.namespace)

    async def another():
        account = await client.get(SERVICE_ACCOUNTS, "default", hand.namespace)
        return account.metadata.uid != first.metadata.uid

    await hand.until(another)


@pytest.mark.parametrize("part", ["controllers", "scheduler"])
def test_each_of_the_loops_also_runs_alone(tmp_path, part):
    with serving.api_server(tmp_path):
        command = [sys.executable, "-m", "shoal", "loops", "--only", part]
        loops = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=serving.server_environment(tmp_path)
        )
        try:
            assert loops.stdout.readline() == "ready\n"
            sockets = {path.name for path in (tmp_path / "sock").iterdir()}
            assert ("svc-shoal-scheduler.sock" in sockets) == (part == "scheduler")
        finally:
            loops.terminate()
            loops.communicate(timeout=serving.BOUND_S)


async def test_a_namespace_that_cannot_go_says_what_is_left(hand, client):
    await hand.make(CONFIG_MAPS, "kept", metadata={"finalizers": ["example.test/hold"]})
    await client.delete(NAMESPACES, hand.namespace)

    async def told():
        namespace = await client.get_raw(NAMESPACES, hand.namespace)
        conditions = namespace["status"].get("conditions", [])
        return {one["type"]: one["message"] for one in conditions if one["status"] == "True"}

    assert await hand.until(told) == {
        "NamespaceContentRemaining": "still there: 1 configmaps",
        "NamespaceFinalizersRemaining": "finalizers hold objects back: example.test/hold",
    }
    free = {"metadata": {"finalizers": None}}
    await client.patch(CONFIG_MAPS, "kept", hand.namespace, patch=free)
    await hand.gone(NAMESPACES, hand.namespace)


async def test_objects_of_kinds_that_users_added_go_with_their_namespace(hand, client):
    kind = "CustomResourceDefinition"
    definitions = Kind("apiextensions.k8s.io/v1", kind, f"{kind.lower()}s", False, Object)
    names = {"kind": "Boat", "plural": "boats"}
    version = {"name": "v1", "served": True, "storage": True}
    schema = {"openAPIV3Schema": {"type": "object"}}
    spec = {"group": "loops.test", "scope": "Namespaced", "names": names}
    spec["versions"] = [version | {"schema": schema}]
    await client.create(definitions, {"metadata": {"name": "boats.loops.test"}, "spec": spec})
    boats = Kind("loops.test/v1", "Boat", "boats", True, Object)
    await hand.until(lambda: hand.make(boats, "one"))
    await client.delete(NAMESPACES, hand.namespace)
    await hand.gone(NAMESPACES, hand.namespace)
    assert not (await client.list(boats, hand.namespace)).items

"""The objects by which a node is there are put again when somebody deletes them."""

import asyncio

from tests.agent.box import Box, state

from shoal.agent.node import LEASE_NAMESPACE
from shoal.agent.slices import slice_name
from shoal.api.kinds import LEASES, NODE_USES, NODES, RESOURCE_SLICES, Kind
from shoal.api.meta import Object
from shoal.kube.client import Client
from shoal.kube.errors import ApiError


async def again(client: Client, kind: Kind[Object], name: str, uid: str, namespace: str = ""):
    """The object once it is another one than that with this uid."""
    for _ in range(3000):
        try:
            found = await client.get(kind, name, namespace)
        except ApiError as error:
            assert error.not_found
        else:
            if found.metadata.uid != uid:
                return found
        await asyncio.sleep(0.02)
    raise AssertionError(f"waited 60 s for another {kind.name} {name}")


async def removed(box: Box, kind: Kind[Object], name: str):
    """The object that takes the place of one that was deleted."""
    before = await box.client.get(kind, name)
    await box.client.delete(kind, name, uid=before.metadata.uid)
    return await again(box.client, kind, name, before.metadata.uid)


async def owners(client: Client, kind: Kind[Object], name: str, namespace: str = "") -> list[str]:
    held = await client.get_raw(kind, name, namespace)
    return [one["uid"] for one in held["metadata"]["ownerReferences"]]


async def test_a_node_that_is_deleted_comes_again_and_takes_work(box: Box):
    await box.create("before", "sleep 1000")
    await box.running("before")
    node = await removed(box, NODES, box.node)
    name = slice_name(box.node)
    for _ in range(3000):
        if await owners(box.client, RESOURCE_SLICES, name) == [node.metadata.uid]:
            break
        await asyncio.sleep(0.02)
    assert await owners(box.client, RESOURCE_SLICES, name) == [node.metadata.uid]
    ready = [c.status for c in (await box.client.get(NODES, box.node)).status.conditions]
    assert "True" in ready
    await box.create("after")
    assert (await box.ended("after")).status.phase == "Succeeded"
    assert state(await box.pod("before")).running


async def test_a_slice_that_is_deleted_comes_again_with_all_cards(box: Box):
    fresh = await removed(box, RESOURCE_SLICES, slice_name(box.node))
    assert [device.name for device in fresh.spec.devices] == ["gpu-0", "gpu-1"]


async def test_what_is_held_is_told_again_when_the_word_on_it_is_deleted(box: Box):
    claims = {"claims": [{"name": "gpu"}]}
    named = [{"name": "gpu", "resourceClaimName": "whole"}]
    command = {"main": {"resources": claims}, "resourceClaims": named}
    pod = await box.create("holds", "sleep 1000", bind=False, **command)
    uid = await box.allocate("whole", pod, "gpu-0")
    await box.client.bind("holds", box.namespace, box.node)
    await box.running("holds")
    await removed(box, NODE_USES, box.node)
    for _ in range(3000):
        if await box.held():
            break
        await asyncio.sleep(0.02)
    assert await box.held() == [uid]


async def test_a_node_is_there_however_long_other_requests_of_its_agent_take(box: Box, monkeypatch):
    async def never(*_: object, **__: object) -> bytes:
        await asyncio.Event().wait()
        return b""

    with monkeypatch.context() as stuck:
        stuck.setattr(box.client, "request", never)
        async with Client(box.client.config) as client:
            before = await client.get(NODES, box.node)
            await client.delete(NODES, box.node, uid=before.metadata.uid)
            node = await again(client, NODES, box.node, before.metadata.uid)
            for _ in range(3000):
                if await owners(client, LEASES, box.node, LEASE_NAMESPACE) == [node.metadata.uid]:
                    break
                await asyncio.sleep(0.02)
            assert await owners(client, LEASES, box.node, LEASE_NAMESPACE) == [node.metadata.uid]

"""What a waiting pod's status says, and how often it is written."""

import asyncio

import pytest

from shoal.api import kinds
from shoal.api.meta import find_condition
from shoal.core.event import Group, Member
from shoal.kube.events import Events
from shoal.mirror.objects import Objects
from shoal.scheduler.conditions import Conditions


class Telling:
    """Conditions at work, and the pods of a box to tell about."""

    def __init__(self, box, client, tools):
        self.box = box
        self.client = client
        self.tools = tools
        self.conditions = Conditions(client, Objects(), Events(client, "test"))

    async def group(self, name):
        uid = await self.box.add_pod(name)
        return Group(name, name, self.box.namespace, (Member(uid, name),))

    async def says(self, name, message):
        async def said():
            pod = await self.box.client.get(kinds.PODS, name, self.box.namespace)
            found = find_condition(pod.status.conditions, "PodScheduled")
            return found is not None and found.message == message

        await self.tools.wait_until(said, f"{name} says {message}")


@pytest.fixture
async def telling(box, server, tools):
    async with tools.FaultyClient(server, lambda write: None) as counting:
        made = Telling(box, counting, tools)
        task = asyncio.create_task(made.conditions.run())
        yield made
        await tools.end(task)


async def test_of_several_reasons_that_come_together_the_last_is_written(telling):
    group = await telling.group("a")
    telling.conditions.tell(group, "CardsBusy", "first")
    telling.conditions.tell(group, "CpuBusy", "second")
    await telling.says("a", "second")
    assert telling.client.writes == 1


async def test_what_is_said_already_is_not_written_again(telling):
    said, other = await telling.group("a"), await telling.group("b")
    telling.conditions.tell(said, "CpuBusy", "the same")
    await telling.says("a", "the same")
    telling.conditions.tell(said, "CpuBusy", "the same")
    telling.conditions.tell(other, "CpuBusy", "another")
    telling.conditions.tell(said, "CpuBusy", "the same")
    await telling.says("b", "another")
    assert telling.client.writes == 2


async def test_a_pod_that_waits_no_more_is_not_told_why_it_did(telling):
    placed, other = await telling.group("a"), await telling.group("b")
    telling.conditions.tell(placed, "CpuBusy", "too late")
    telling.conditions.forget(member.pod for member in placed.members)
    telling.conditions.tell(other, "CpuBusy", "waits")
    await telling.says("b", "waits")
    assert telling.client.writes == 1


async def test_a_pod_that_is_gone_does_not_keep_the_others_from_being_told(telling):
    gone, other = await telling.group("a"), await telling.group("b")
    await telling.box.client.delete(kinds.PODS, "a", telling.box.namespace, grace=0)
    telling.conditions.tell(gone, "CpuBusy", "nobody hears it")
    telling.conditions.tell(other, "CpuBusy", "waits")
    await telling.says("b", "waits")

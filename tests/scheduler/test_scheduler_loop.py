"""The loop at work on a real API server: pods find their places, whatever goes wrong."""

import asyncio
import random

import msgspec

from shoal.api import kinds
from shoal.api.meta import find_condition
from shoal.kube.errors import ApiError, Unreachable


async def scheduled_condition(box, pod):
    found = await box.client.get(kinds.PODS, pod, box.namespace)
    return find_condition(found.status.conditions, "PodScheduled")


async def bound(box, pod):
    return bool((await box.client.get(kinds.PODS, pod, box.namespace)).spec.node_name)


async def test_a_pod_that_appears_is_placed_and_the_next_one_takes_what_it_leaves(box, tools):
    async with box.scheduled():
        await box.add_pod("a", "3")
        await tools.wait_until(lambda: bound(box, "a"), "a has a node")
        await box.add_pod("b", "1/2")
        await tools.wait_until(lambda: says(box, "b"), "b says why it waits")
        await box.finish("a")
        await tools.wait_until(lambda: bound(box, "b"), "b has a node")
    assert await box.held() == {"b": [("gpu-0", 500)]}


async def says(box, pod):
    condition = await scheduled_condition(box, pod)
    return condition is not None and condition.status == "False"


async def test_a_waiting_pod_says_who_holds_what_it_waits_for(box, tools):
    async with box.scheduled():
        await box.add_pod("a", "3")
        await tools.wait_until(lambda: bound(box, "a"), "a has a node")
        await box.add_pod("b", "2")
        await tools.wait_until(lambda: says(box, "b"), "b says why it waits")
    condition = await scheduled_condition(box, "b")
    assert condition.reason == "CardsBusy"
    assert condition.message.startswith("2 whole cards; 0 free")
    assert "a holds" in condition.message
    assert condition.last_transition_time


async def test_a_pod_waits_for_a_tainted_node_until_it_tolerates_it(box, tools):
    taint = {"key": "team", "value": "a", "effect": "NoSchedule"}
    await box.client.patch(kinds.NODES, box.node, patch={"spec": {"taints": [taint]}})
    async with box.scheduled():
        await box.add_pod("a", "1")
        await tools.wait_until(lambda: says(box, "a"), "a says why it waits")
        condition = await scheduled_condition(box, "a")
        assert condition.reason == "NodeTainted"
        assert condition.message == (
            f"no node takes it without a toleration ({box.node}: tainted team=a:NoSchedule)"
        )
        pod = await box.client.get(kinds.PODS, "a", box.namespace)
        kept = [msgspec.to_builtins(one) for one in pod.spec.tolerations]
        spec = {"tolerations": [*kept, {"key": "team", "operator": "Exists"}]}
        await box.client.patch(kinds.PODS, "a", box.namespace, patch={"spec": spec})
        await tools.wait_until(lambda: bound(box, "a"), "a has a node")


async def story(box, pod):
    """The events about a pod, as ``kubectl describe`` asks for them."""
    about = f"involvedObject.name={pod},involvedObject.kind=Pod"
    raw = await box.client.request(
        "GET", f"/api/v1/namespaces/{box.namespace}/events", query={"fieldSelector": about}
    )
    events = msgspec.json.decode(raw)["items"]
    return [(event["type"], event["reason"], event["message"]) for event in events]


async def test_events_tell_why_a_pod_waits_and_where_it_was_placed(box, tools):
    async def is_told(count):
        return len(await story(box, "b")) == count

    async with box.scheduled():
        await box.add_pod("a", "3")
        await tools.wait_until(lambda: bound(box, "a"), "a has a node")
        await box.add_pod("b", "1/2")
        await tools.wait_until(lambda: is_told(1), "why b waits")
        ((kind, reason, message),) = await story(box, "b")
        assert (kind, reason) == ("Warning", "FailedScheduling")
        assert message == (await scheduled_condition(box, "b")).message
        await box.finish("a")
        await tools.wait_until(lambda: is_told(2), "where b is")
    assert ("Normal", "Scheduled", f"placed on {box.node} card 0") in await story(box, "b")


async def test_what_a_cleared_claim_held_is_kept_while_the_agent_holds_it(box, tools):
    uid = {}

    async def hold(*held):
        patch = {"status": {"bootID": "b1", "held": [{"uid": each} for each in held]}}
        await box.client.patch(kinds.NODE_USES, box.node, patch=patch, subresource="status")

    use = {
        "apiVersion": "shoal.dev/v1alpha1",
        "kind": "NodeUse",
        "metadata": {"name": box.node},
    }
    await box.client.create(kinds.NODE_USES, use)
    async with box.scheduled() as loop:
        await box.add_pod("a", "3")
        await tools.wait_until(lambda: bound(box, "a"), "a has a node")
        claim = await box.client.get(kinds.RESOURCE_CLAIMS, "a", box.namespace)
        uid = claim.metadata.uid
        await hold(uid)
        await box.client.delete(kinds.PODS, "a", box.namespace, grace=0)
        await box.clear("a")
        await box.add_pod("b", "1/2")
        await tools.wait_until(lambda: says(box, "b"), "b waits")
        assert (await scheduled_condition(box, "b")).reason == "Releasing"
        assert await box.held() == {}
        await hold()
        await tools.wait_until(lambda: bound(box, "b"), "b has a node")
        assert uid not in loop.state.claims.counted


async def test_a_gang_waits_for_its_last_member_and_then_starts_whole(box, tools):
    gang = {
        "apiVersion": "shoal.dev/v1alpha1",
        "kind": "Gang",
        "metadata": {"name": "ring"},
        "spec": {"members": 2},
    }
    await box.client.create(kinds.GANGS, gang, box.namespace)
    async with box.scheduled():
        await box.add_pod("ring-0", "1/2", gang="ring")
        await tools.wait_until(lambda: says(box, "ring-0"), "ring-0 says why it waits")
        assert (await scheduled_condition(box, "ring-0")).reason == "GangIncomplete"
        await box.add_pod("ring-1", "1/2", gang="ring")
        await tools.wait_until(lambda: bound(box, "ring-0"), "ring-0 has a node")
        await tools.wait_until(lambda: bound(box, "ring-1"), "ring-1 has a node")
    cards = [card for parts in (await box.held()).values() for card, _ in parts]
    assert len(set(cards)) == 2


async def test_a_restarted_loop_goes_on_where_the_last_one_stopped(box, tools):
    async with box.scheduled():
        await box.add_pod("a", "2")
        await tools.wait_until(lambda: bound(box, "a"), "a has a node")
    await box.add_pod("b", "1")
    await box.add_pod("c", "1")
    async with box.scheduled():
        await tools.wait_until(lambda: bound(box, "b"), "b has a node")
        await tools.wait_until(lambda: says(box, "c"), "c waits")
    assert await box.held() == {"a": [("gpu-0", 1000), ("gpu-1", 1000)], "b": [("gpu-2", 1000)]}


async def test_a_writer_that_fails_at_random_places_all_and_never_more_than_a_card_has(
    box, server, tools
):
    """Twelve pods on three cards; pods end while others start; a seventh of the writes fail."""
    dice = random.Random(7)
    names = [f"p{number}" for number in range(12)]

    def fault_of(_):
        if dice.random() > 1 / 7:
            return None
        error = dice.choice([Unreachable("server", "reset"), ApiError(422, "Invalid", "no")])
        return tools.Fault(error, after=dice.random() < 0.5 and error.passing)

    async def all_placed():
        claims = (await box.client.list(kinds.RESOURCE_CLAIMS, box.namespace)).items
        assert_within_capacity([claim for claim in claims if claim.status.allocation], tools)
        pods = (await box.client.list(kinds.PODS, box.namespace)).items
        for pod in pods:
            if pod.spec.node_name and not pod.finished:
                await box.finish(pod.metadata.name)
        return all(pod.finished for pod in pods)

    async with tools.FaultyClient(server, fault_of) as faulty, box.scheduled(faulty):
        await asyncio.gather(*(box.add_pod(name, "1/2", cpu="100m") for name in names))
        await tools.wait_until(all_placed, "every pod had its turn")
    assert await box.held() == {}


def assert_within_capacity(claims, tools):
    used = {}
    for claim in claims:
        for card, milli in tools.parts_of(claim):
            used[card] = used.get(card, 0) + milli
    assert all(milli <= 1000 for milli in used.values()), used

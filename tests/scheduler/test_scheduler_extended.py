"""Pods that ask for whole cards as an extended resource."""

from shoal.api import kinds
from shoal.api.extended import EXTENDED_CLAIM, extended_claim, request_mappings
from shoal.api.meta import ObjectMeta
from shoal.api.pod import CARDS, Container, Pod, PodSpec, Resources


def container(name, cards=0):
    return Container(name, resources=Resources(limits={CARDS: cards} if cards else {}))


def pod(*containers, init=()):
    spec = PodSpec(containers=list(containers), init_containers=list(init))
    return Pod(metadata=ObjectMeta(name="p", namespace="default", uid="uid-p"), spec=spec)


def requests_of(asked):
    devices = extended_claim(asked)["spec"]["devices"]
    return {each["name"]: each["exactly"]["count"] for each in devices["requests"]}


def mapped(asked):
    return [(each.container_name, each.request_name) for each in request_mappings(asked)]


def test_each_container_has_a_request_of_its_own():
    asked = pod(container("a", 2), container("b"), container("c", 1))
    assert requests_of(asked) == {"container-0-request-0": 2, "container-2-request-0": 1}
    assert mapped(asked) == [("a", "container-0-request-0"), ("c", "container-2-request-0")]


def test_init_containers_use_the_cards_of_the_others():
    asked = pod(container("a", 1), container("b", 1), init=[container("i", 2)])
    assert requests_of(asked) == {"container-1-request-0": 1, "container-2-request-0": 1}
    assert mapped(asked)[:2] == [("i", "container-1-request-0"), ("i", "container-2-request-0")]


def test_an_init_container_that_needs_more_has_a_request_for_the_rest():
    asked = pod(container("a", 1), init=[container("i", 3)])
    assert requests_of(asked) == {"container-1-request-0": 1, "container-0-request-0": 2}
    assert mapped(asked)[:2] == [("i", "container-1-request-0"), ("i", "container-0-request-0")]


async def add(box, name, *counts):
    containers = [
        {"name": f"c{at}", "image": "host", "resources": {"limits": {CARDS: count}}}
        for at, count in enumerate(counts)
    ]
    body = {"metadata": {"name": name}, "spec": {"containers": containers}}
    return await box.client.create(kinds.PODS, body, box.namespace)


async def bound(box, name):
    there = await box.client.get(kinds.PODS, name, box.namespace)
    return there.spec.node_name == box.node


async def test_a_pod_gets_whole_cards_through_a_claim_that_is_made_for_it(box, tools):
    async with box.scheduled():
        made = await add(box, "p", 1, 2)
        await tools.wait_until(lambda: bound(box, "p"), "p has a node")
    told = (await box.client.get(kinds.PODS, "p", box.namespace)).status
    status = told.extended_resource_claim_status
    claim = await box.client.get(kinds.RESOURCE_CLAIMS, status.resource_claim_name, box.namespace)
    assert claim.metadata.annotations[EXTENDED_CLAIM] == "true"
    assert [ref.uid for ref in claim.metadata.owner_references] == [made.metadata.uid]
    results = claim.status.allocation.devices.results
    assert len({each.device for each in results}) == 3
    requests = [each.request for each in results]
    assert requests == ["container-0-request-0", *["container-1-request-0"] * 2]
    assert [each.container_name for each in status.request_mappings] == ["c0", "c1"]


async def test_a_pod_waits_while_too_few_cards_are_free(box, tools):
    async with box.scheduled():
        await add(box, "p", 2)
        await tools.wait_until(lambda: bound(box, "p"), "p has a node")
        await add(box, "q", 2)
        await tools.wait_until(lambda: waits(box, "q"), "q says what it waits for")


async def waits(box, name):
    there = await box.client.get(kinds.PODS, name, box.namespace)
    told = [c for c in there.status.conditions if c.type == "PodScheduled"]
    return bool(told) and told[0].reason == "CardsBusy"


async def test_a_claim_that_was_made_before_a_crash_is_used(box, tools):
    made = await add(box, "p", 1)
    there = await box.client.create(kinds.RESOURCE_CLAIMS, extended_claim(made), box.namespace)
    async with box.scheduled():
        await tools.wait_until(lambda: bound(box, "p"), "p has a node")
    claims = (await box.client.list(kinds.RESOURCE_CLAIMS, box.namespace)).items
    assert [claim.metadata.uid for claim in claims] == [there.metadata.uid]

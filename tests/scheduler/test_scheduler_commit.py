"""Decisions into a real API server, with a failure at every write: whole or not at all."""

import asyncio
import contextlib

import pytest

from shoal.api import kinds
from shoal.core.decision import Bind
from shoal.core.state import State
from shoal.core.step import step
from shoal.kube.errors import ApiError, Unreachable
from shoal.mirror.mirror import Mirror
from shoal.scheduler.commit import Committer
from shoal.scheduler.writer import Writer

MEMBERS = 3
WRITES = 1 + 2 * MEMBERS + 1 + MEMBERS
"""Plan; finalizer and allocation of each claim; "placed"; a binding each."""


class Facts:
    """Tells a mirror what the server answered."""

    def __init__(self, mirror):
        self.mirror = mirror

    def claim(self, claim):
        self.mirror.written(claim)

    def bound(self, namespace, name, uid, node):
        self.mirror.bound(namespace, name, uid, node)


async def seen(box):
    """A mirror of the box as it is now."""
    mirror = Mirror()
    async with box.followed(mirror.apply):
        return mirror


def decide(mirror):
    """The one decision to place something that the box calls for."""
    (bind,) = [d for d in step(State(), mirror.drain(), 1) if isinstance(d, Bind)]
    return bind


async def place(box, client, tools, *, recover=False):
    """What a scheduler that was just started does: recover, decide, write."""
    mirror = await seen(box)
    committer = Committer(client, mirror.objects, Writer(tools.NO_WAITS), Facts(mirror))
    if recover:
        await committer.recovery.finish_all()
    return await committer.commit(decide(mirror))


async def assert_all_or_nothing(box):
    phase, held, nodes = await box.phase("ring"), await box.held(), await box.nodes_of_pods()
    if phase == "Placed":
        assert len(held) == MEMBERS
    else:
        assert (phase, held, set(nodes)) == ("Waiting", {}, {""})


async def assert_placed(box):
    assert await box.phase("ring") == "Placed"
    assert await box.nodes_of_pods() == [box.node] * MEMBERS
    cards = [part for parts in (await box.held()).values() for part in parts]
    assert len(cards) == MEMBERS


async def test_a_pod_gets_its_card_and_its_node(box, client, tools):
    uid = await box.add_pod("a", "1/2")
    assert (await place(box, client, tools)).refusal == ""
    claim = await client.get(kinds.RESOURCE_CLAIMS, "a", box.namespace)
    (result,) = claim.status.allocation.devices.results
    assert (result.request, result.pool) == ("gpu", box.node)
    assert result.consumed_capacity == {"memory": "40Gi", "compute": "500"}
    assert len(result.share_id) == 36
    assert claim.metadata.finalizers == ["resource.kubernetes.io/delete-protection"]
    assert [(each.name, each.uid) for each in claim.status.reserved_for] == [("a", uid)]
    assert await box.nodes_of_pods() == [box.node]


async def test_a_pod_with_a_card_takes_three_writes_and_one_without_takes_one(box, server, tools):
    await box.add_pod("a", "1/2")
    async with tools.FaultyClient(server, lambda n: None) as counting:
        await place(box, counting, tools)
        assert counting.writes == 3
        await box.add_pod("b")
        await place(box, counting, tools)
        assert counting.writes == 4


async def test_a_pod_that_was_deleted_meanwhile_leaves_nothing_held(box, client, tools):
    await box.add_pod("a", "1/2")
    mirror = await seen(box)
    committer = Committer(client, mirror.objects, Writer(tools.NO_WAITS), Facts(mirror))
    await client.delete(kinds.PODS, "a", box.namespace, grace=0)
    outcome = await committer.commit(decide(mirror))
    assert outcome.refusal == "pod a is gone"
    assert await box.held() == {}


async def test_a_claim_that_somebody_else_allocated_is_left_alone(box, client, tools):
    await box.add_pod("a", "1/2")
    mirror = await seen(box)
    committer = Committer(client, mirror.objects, Writer(tools.NO_WAITS), Facts(mirror))
    await place(box, client, tools)
    before = await client.get_raw(kinds.RESOURCE_CLAIMS, "a", box.namespace)
    other = {"reservedFor": [{"resource": "pods", "name": "x", "uid": "x"}]}
    await client.patch(
        kinds.RESOURCE_CLAIMS, "a", box.namespace, patch={"status": other}, subresource="status"
    )
    outcome = await committer.commit(decide(mirror))
    assert outcome.refusal == "claim a was allocated by somebody else"
    after = await client.get_raw(kinds.RESOURCE_CLAIMS, "a", box.namespace)
    assert after["status"] == before["status"] | other


async def test_a_second_pod_may_use_a_claim_that_is_allocated(box, client, tools):
    first = await box.add_pod("a", "1/2")
    await place(box, client, tools)
    claims = [{"name": "gpu", "resourceClaimName": "a"}]
    container = {"name": "main", "image": "host"}
    pod = await client.create(
        kinds.PODS,
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "b"},
            "spec": {"containers": [container], "resourceClaims": claims},
        },
        box.namespace,
    )
    assert (await place(box, client, tools)).refusal == ""
    claim = await client.get(kinds.RESOURCE_CLAIMS, "a", box.namespace)
    assert {each.uid for each in claim.status.reserved_for} == {first, pod.metadata.uid}
    assert await box.nodes_of_pods() == [box.node] * 2


@pytest.mark.parametrize("n", range(1, WRITES + 1))
async def test_a_refused_write_undoes_the_gang_or_comes_too_late_to(n, box, server, tools):
    refused = tools.Fault(ApiError(422, "Invalid", "no"))
    await box.add_gang("ring", MEMBERS)
    async with tools.FaultyClient(server, lambda write: refused if write == n else None) as client:
        outcome = await place(box, client, tools)
        assert outcome.refusal
        await assert_all_or_nothing(box)
        assert (await box.phase("ring") == "Placed") == (n > WRITES - MEMBERS)
        assert (await place(box, client, tools)).refusal == ""
    await assert_placed(box)


@pytest.mark.parametrize("after", [False, True], ids=["before", "answer lost"])
@pytest.mark.parametrize("n", range(1, WRITES + 1))
async def test_trouble_that_passes_is_not_noticed(n, after, box, server, tools):
    passing = tools.Fault(Unreachable("server", "reset"), after=after)
    await box.add_gang("ring", MEMBERS)
    async with tools.FaultyClient(server, lambda write: passing if write == n else None) as client:
        assert (await place(box, client, tools)).refusal == ""
    await assert_placed(box)


@pytest.mark.parametrize("n", range(1, WRITES + 1))
async def test_a_server_that_is_down_for_long_leaves_nothing_half_done(n, box, server, tools):
    down = tools.Fault(Unreachable("server", "refused"))
    fault_of = lambda write: down if n <= write < n + 40 else None  # noqa: E731
    await box.add_gang("ring", MEMBERS)
    async with tools.FaultyClient(server, fault_of) as client:
        outcome = await place(box, client, tools)
        await assert_all_or_nothing(box)
        if outcome.refusal:
            assert (await place(box, client, tools)).refusal == ""
    await assert_placed(box)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("n", range(1, WRITES + 1))
async def test_a_crash_at_any_write_is_undone_or_finished_at_the_next_start(
    n, after, box, client, server, tools
):
    def fault_of(write):
        if write < n:
            return None
        return tools.Fault(tools.Crash(), after=after and write == n)

    await box.add_gang("ring", MEMBERS)
    async with tools.FaultyClient(server, fault_of) as dying:
        with contextlib.suppress(tools.Crash):
            await place(box, dying, tools)
    mirror = await seen(box)
    committer = Committer(client, mirror.objects, Writer(tools.NO_WAITS), Facts(mirror))
    await committer.recovery.finish_all()
    await assert_all_or_nothing(box)
    if "" in await box.nodes_of_pods():
        assert (await place(box, client, tools)).refusal == ""
    await assert_placed(box)


async def test_the_gang_goes_on_without_a_member_that_left_after_the_point_of_no_return(
    box, server, tools
):
    uids = await box.add_gang("ring", MEMBERS)

    class Leaving(tools.FaultyClient):
        async def request(self, method, path, **more):
            if path.endswith("/ring-1/binding"):
                await box.client.delete(kinds.PODS, "ring-1", box.namespace, grace=0)
            return await super().request(method, path, **more)

    async with Leaving(server, lambda write: None) as client:
        outcome = await place(box, client, tools)
    assert (outcome.refusal, outcome.unbound) == ("", (uids[1],))
    assert await box.nodes_of_pods() == [box.node] * 2


async def test_a_member_made_anew_joins_its_placed_gang(box, client, tools):
    await box.add_gang("ring", MEMBERS)
    await place(box, client, tools)
    await client.delete(kinds.PODS, "ring-1", box.namespace, grace=0)
    await box.clear("ring-1")
    await box.add_pod("ring-1b", "1/2", gang="ring")
    assert (await place(box, client, tools)).refusal == ""
    assert await box.nodes_of_pods() == [box.node] * MEMBERS


async def test_commits_side_by_side_do_not_wait_for_each_other(box, client, tools):
    for name in "abcd":
        await box.add_pod(name, "1/2")
    mirror = await seen(box)
    committer = Committer(client, mirror.objects, Writer(tools.NO_WAITS), Facts(mirror))
    binds = [d for d in step(State(), mirror.drain(), 1) if isinstance(d, Bind)]
    outcomes = await asyncio.gather(*(committer.commit(bind) for bind in binds))
    assert [outcome.refusal for outcome in outcomes] == [""] * 4
    held = [part for parts in (await box.held()).values() for part in parts]
    assert sorted(held) == [("gpu-0", 500), ("gpu-0", 500), ("gpu-1", 500), ("gpu-1", 500)]

"""Nodes that fall silent, and what follows from their conditions."""

import asyncio
import contextlib
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.api.kinds import LEASES, NAMESPACES, NODES
from shoal.api.lease import Lease, LeaseSpec
from shoal.api.meta import ObjectMeta, find_condition
from shoal.controllers.builtin.nodes import NAMESPACE, NodeController
from shoal.controllers.builtin.silence import Silence
from shoal.controllers.informers import Informers
from shoal.kube.errors import ApiError

READY = {"type": "Ready", "status": "True", "reason": "AgentReady"}


def lease(renewed: str, name: str = "box1") -> Lease:
    return Lease(metadata=ObjectMeta(name=name), spec=LeaseSpec(renew_time=renewed))


def test_silence_counts_from_the_first_look():
    silence = Silence(most_s=10)
    silence.look([lease("a")], 1000)
    assert silence.of("box1") == 0
    silence.look([lease("a")], 1004)
    silence.look([lease("a")], 1009)
    assert silence.of("box1") == 9
    silence.look([lease("b")], 1012)
    assert silence.of("box1") == 0


def test_time_in_which_nobody_looked_is_no_silence():
    silence = Silence(most_s=10)
    silence.look([lease("a")], 0.5)
    silence.look([lease("a")], 5000)
    assert silence.of("box1") == 10


def test_a_node_without_a_lease_is_silent_from_the_moment_that_it_is_met():
    silence = Silence(most_s=10)
    silence.look([], 1)
    silence.meet("box1")
    silence.look([], 4)
    assert silence.of("box1") == 3
    silence.forget("box1")
    silence.look([], 8)
    assert silence.of("box1") == 0


def test_another_sign_of_life_ends_the_silence():
    silence = Silence(most_s=10)
    silence.look([lease("a")], 1)
    silence.look([lease("a")], 9)
    silence.hear("box1")
    silence.look([lease("a")], 11)
    assert silence.of("box1") == 2


@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0.01, 100)), max_size=30))
def test_silence_is_never_longer_than_the_time_since_the_last_renewal(looks):
    silence = Silence(most_s=10)
    now, renewed_at, before = 1.0, 1.0, ""
    for renewal, passed in looks:
        now += passed
        if renewal != before:
            renewed_at, before = now, renewal
        silence.look([lease(renewal)], now)
        assert silence.of("box1") <= now - renewed_at + 1e-6


class Box:
    """A node whose agent the test plays."""

    def __init__(self, hand):
        self.hand = hand
        self.name = f"n-{uuid.uuid4().hex[:8]}"

    async def register(self, lasts=1):
        client = self.hand.client
        await self.hand.client.create(NODES, {"metadata": {"name": self.name}})
        await self.report()
        with contextlib.suppress(ApiError):
            await client.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
        spec = {"leaseDurationSeconds": lasts, "renewTime": "2026-01-01T00:00:00.000000Z"}
        body = {"metadata": {"name": self.name, "namespace": NAMESPACE}, "spec": spec}
        await client.create(LEASES, body, NAMESPACE)

    async def report(self, **ready):
        patch = {"status": {"conditions": [{**READY, **ready}]}}
        await self.hand.client.patch(
            NODES, self.name, patch=patch, strategic=True, subresource="status"
        )

    async def renew(self, at):
        patch = {"spec": {"renewTime": f"2026-01-01T00:00:{at:02}.000000Z"}}
        await self.hand.client.patch(LEASES, self.name, NAMESPACE, patch=patch)

    async def until(self, status, taint):
        """Wait until the node is in a state and has just this taint of the two."""

        async def look():
            node = await self.hand.client.get(NODES, self.name)
            ready = find_condition(node.status.conditions, "Ready")
            keys = [one.key for one in node.spec.taints]
            wanted = [f"node.kubernetes.io/{taint}"] if taint else []
            return ready is not None and ready.status == status and keys == wanted

        await self.hand.until(look)


@pytest.fixture
async def box(hand):
    """A box beside a node controller that looks often."""
    informers = Informers(hand.client)
    controller = NodeController(hand.client, informers, look_s=0.1)
    tasks = [asyncio.create_task(part.run()) for part in (informers, controller)]
    yield Box(hand)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_node_is_unknown_while_its_lease_is_not_renewed(box):
    await box.register()
    await box.until("True", "")
    await box.until("Unknown", "unreachable")
    await box.renew(1)
    await box.until("True", "")
    await box.until("Unknown", "unreachable")


async def test_an_agent_that_reports_is_heard_before_its_lease_is(box):
    await box.register()
    await box.until("Unknown", "unreachable")
    await box.report()
    await box.until("True", "")


async def test_a_node_that_is_not_ready_takes_no_pods(box):
    await box.register(lasts=3600)
    await box.report(status="False")
    await box.until("False", "not-ready")
    await box.report()
    await box.until("True", "")


async def test_the_taints_of_others_stay(box):
    await box.register(lasts=3600)
    await box.until("True", "")
    taints = [{"key": "mine", "effect": "NoSchedule"}]
    await box.hand.client.patch(NODES, box.name, patch={"spec": {"taints": taints}})
    await box.report(status="False")

    async def both():
        node = await box.hand.client.get(NODES, box.name)
        return [one.key for one in node.spec.taints] == ["mine", "node.kubernetes.io/not-ready"]

    await box.hand.until(both)

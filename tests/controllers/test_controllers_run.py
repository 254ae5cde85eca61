"""A run's life against the real server."""

import asyncio
import contextlib

from shoal.api.kinds import GANGS, PODS, RESOURCE_CLAIMS, RUNS
from shoal.controllers.main import run_controllers


async def test_a_run_becomes_a_pod_and_succeeds_with_it(hand):
    await hand.submit("digits")
    await hand.bind("digits-0")
    await hand.start("digits-0")
    run = await hand.run_in("digits", "Running")
    assert run.status.replicas[0].node == "box1"
    await hand.end("digits-0")
    run = await hand.run_in("digits", "Succeeded")
    assert run.status.started_at == "1970-01-01T00:00:01Z"
    assert run.status.finished_at == "1970-01-01T00:00:03Z"


async def test_a_run_that_asks_for_cards_has_a_claim_until_it_has_ended(hand):
    await hand.submit("digits", gpu="1/2")
    pod = await hand.there(PODS, "digits-0")
    assert pod.spec.resource_claims[0].resource_claim_name == "digits-0"
    await hand.allocate("digits-0", "digits-0", card="gpu-3")
    await hand.bind("digits-0")
    await hand.start("digits-0")
    await hand.end("digits-0")
    run = await hand.run_in("digits", "Succeeded")
    assert run.status.replicas[0].cards == ["gpu-3"]
    await hand.gone(RESOURCE_CLAIMS, "digits-0")
    assert (await hand.there(PODS, "digits-0")).finished


async def test_a_queued_run_says_what_the_scheduler_says(hand):
    await hand.submit("big", gpu="2")
    await hand.there(PODS, "big-0")
    words = {"type": "PodScheduled", "status": "False", "reason": "CardsBusy"}
    await hand.say("big-0", conditions=[{**words, "message": "2 whole cards; 1 free"}])
    run = await hand.run_where("big", lambda run: run.status.reason == "CardsBusy")
    assert run.status.message == "2 whole cards; 1 free"


async def test_when_one_replica_dies_the_others_are_ended_and_its_failure_is_told(hand):
    await hand.submit("ring", replicas=3)
    await hand.there(GANGS, "ring")
    for rank in range(2):
        await hand.bind(f"ring-{rank}")
        await hand.start(f"ring-{rank}")
    await hand.there(PODS, "ring-2")
    await hand.end("ring-1", code=7)

    async def asked():
        pod = await hand.client.get(PODS, "ring-0", hand.namespace)
        return pod.spec.active_deadline_seconds == 1

    await hand.until(asked)
    await hand.gone(PODS, "ring-2")
    await hand.end("ring-0", code=1, reason="DeadlineExceeded")
    run = await hand.run_in("ring", "Failed")
    assert run.status.message == "replica 1 exited with 7"
    await hand.gone(GANGS, "ring")


async def test_a_queued_run_that_is_stopped_stops_at_once(hand):
    await hand.submit("digits", gpu="1")
    await hand.there(PODS, "digits-0")
    await hand.client.patch(RUNS, "digits", hand.namespace, patch={"spec": {"stop": True}})
    await hand.run_in("digits", "Stopped")
    await hand.gone(PODS, "digits-0")
    await hand.gone(RESOURCE_CLAIMS, "digits-0")


async def test_a_retried_run_gets_fresh_objects(hand):
    await hand.submit("digits", gpu="1/2", retry={"max": 1})
    await hand.bind("digits-0")
    await hand.start("digits-0")
    await hand.end("digits-0", code=7)
    await hand.there(RESOURCE_CLAIMS, "digits-0-r1")
    await hand.bind("digits-0-r1")
    await hand.start("digits-0-r1")
    await hand.end("digits-0-r1")
    run = await hand.run_in("digits", "Succeeded")
    assert run.status.restarts == 1
    assert run.status.failure is None


async def test_deleting_a_run_removes_all_it_made(hand):
    await hand.submit("ring", replicas=2, gpu="1/4")
    await hand.there(PODS, "ring-1")
    await hand.allocate("ring-1", "ring-1")
    await hand.client.delete(RUNS, "ring", hand.namespace)
    for kind, name in ((PODS, "ring-0"), (PODS, "ring-1"), (GANGS, "ring")):
        await hand.gone(kind, name)
    await hand.gone(RESOURCE_CLAIMS, "ring-0")
    await hand.gone(RESOURCE_CLAIMS, "ring-1")


async def test_a_run_waits_for_a_name_that_another_has_and_then_goes_on(hand):
    container = {"name": "c", "image": "host"}
    await hand.make(PODS, "digits-0", spec={"containers": [container]})
    await hand.submit("digits")
    run = await hand.run_where("digits", lambda run: run.status.reason == "NameTaken")
    assert run.status.message == "waits until the Pod digits-0, which is not this run's, is deleted"
    await hand.client.delete(PODS, "digits-0", hand.namespace)
    pod = await hand.until(lambda: hand.client.get(PODS, "digits-0", hand.namespace))
    assert pod.metadata.owner_references[0].uid == run.metadata.uid


async def test_a_run_for_which_no_pod_can_be_made_fails_with_the_servers_words(hand):
    await hand.submit("digits", priority="urgent")
    run = await hand.run_in("digits", "Failed")
    assert run.status.reason == "Refused"
    assert "there is no PriorityClass urgent" in run.status.message


async def test_controllers_that_start_anew_go_on_where_the_others_were(hand, controllers):
    await hand.submit("digits", gpu="1/2", retry={"max": 1})
    await hand.bind("digits-0")
    await hand.start("digits-0")
    await hand.run_in("digits", "Running")
    controllers.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await controllers
    await hand.client.delete(PODS, "digits-0", hand.namespace, grace=0)
    successors = asyncio.create_task(run_controllers(hand.client))
    run = await hand.run_where("digits", lambda run: run.status.attempt == 1)
    assert run.status.message == "retry 1 of 1 after 1s: pod digits-0 was deleted"
    await hand.there(PODS, "digits-0-r1")
    await hand.gone(RESOURCE_CLAIMS, "digits-0")
    successors.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await successors

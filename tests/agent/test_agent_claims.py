"""Released means dead: what is held, when, and which cards a program sees."""

import asyncio
import shutil

from tests.agent.box import Box, state

from shoal.agent.processes import processes_of
from shoal.api.kinds import NODE_USES, RESOURCE_CLAIMS

USE = {"resources": {"claims": [{"name": "gpu"}]}}
SEE = "echo $CUDA_VISIBLE_DEVICES; echo $NVIDIA_VISIBLE_DEVICES"


def asks(claim: str) -> dict[str, object]:
    return {"main": USE, "resourceClaims": [{"name": "gpu", "resourceClaimName": claim}]}


async def test_a_program_sees_its_cards_by_uuid_in_the_order_of_its_claim(box: Box):
    pod = await box.create("two", SEE, bind=False, **asks("two"))
    await box.allocate("two", pod, "gpu-1", "gpu-0")
    await box.client.bind("two", box.namespace, box.node)
    assert (await box.ended("two")).status.phase == "Succeeded"
    uuids = f"{box.cards[1].uuid},{box.cards[0].uuid}"
    assert await box.logs("two") == f"{uuids}\n{uuids}\n"


async def test_a_program_without_a_claim_sees_no_card(box: Box):
    await box.create("none", SEE)
    await box.ended("none")
    assert await box.logs("none") == "\nvoid\n"


async def test_a_pod_that_went_past_the_scheduler_is_told_that_it_gets_no_cards(box: Box):
    whole = {"resources": {"limits": {"nvidia.com/gpu": 1}}}
    await box.create("past", "echo never", bind=False, main=whole, nodeName=box.node)
    status = (await box.ended("past")).status
    assert (status.phase, status.reason) == ("Failed", "OutOfnvidia.com/gpu")
    assert "name the node by a nodeSelector instead" in status.message
    assert await box.held() == []


async def test_a_claim_is_held_while_its_program_lives_and_not_after(box: Box):
    pod = await box.create("holder", "exec sleep 1000", bind=False, **asks("c1"))
    uid = await box.allocate("c1", pod, "gpu-0")
    await box.client.bind("holder", box.namespace, box.node)
    await box.running("holder")
    assert await box.held() == [uid]
    await box.delete("holder")
    await box.gone("holder")
    assert await box.held() == []


async def test_a_claim_is_let_go_of_before_the_pod_has_ended(box: Box):
    pod = await box.create("short", "true", bind=False, **asks("c2"))
    await box.allocate("c2", pod, "gpu-0")
    await box.client.bind("short", box.namespace, box.node)
    await box.ended("short")
    assert await box.held() == []


async def test_nothing_starts_on_a_claim_that_is_not_reserved_for_the_pod(box: Box):
    pod = await box.create("waits", "echo up", bind=False, **asks("c3"))
    await box.allocate("c3", pod, "gpu-0", reserve=False)
    await box.client.bind("waits", box.namespace, box.node)
    waiting = await box.pod_that("waits", lambda pod: (told := state(pod).waiting) and told.message)
    assert state(waiting).waiting.message == "claim c3 is not reserved for this pod"
    assert await box.held() == []
    await box.reserve("c3", pod, "gpu-0")
    assert (await box.ended("waits")).status.phase == "Succeeded"


async def test_a_claim_that_does_not_exist_is_waited_for(box: Box):
    await box.create("lonely", "echo up", **asks("nowhere"))
    pod = await box.pod_that("lonely", lambda pod: (told := state(pod).waiting) and told.message)
    assert state(pod).waiting.message == "claim nowhere does not exist"


async def test_a_claim_stays_held_over_a_restart_of_the_agent(box: Box):
    pod = await box.create("stays", "exec sleep 1000", bind=False, **asks("c4"))
    uid = await box.allocate("c4", pod, "gpu-0")
    await box.client.bind("stays", box.namespace, box.node)
    await box.running("stays")
    await box.stop()
    await box.client.delete(RESOURCE_CLAIMS, "c4", box.namespace)
    await box.start()
    assert await box.held() == [uid]
    await box.delete("stays")
    await box.gone("stays")
    assert processes_of(pod.metadata.uid) == set()
    assert await box.held() == []


async def test_nothing_is_held_after_a_reboot(box: Box):
    pod = await box.create("before", "exec sleep 1000", bind=False, **asks("c5"))
    await box.allocate("c5", pod, "gpu-0")
    await box.client.bind("before", box.namespace, box.node)
    await box.running("before")
    await box.reboot()
    assert (await box.ended("before")).status.reason == "NodeRebooted"
    assert await box.held() == []


async def test_a_claim_says_what_it_takes_for_when_it_is_gone_itself(box: Box):
    pod = await box.create("takes", "exec sleep 1000", bind=False, **asks("c9"))
    await box.allocate("c9", pod, "gpu-1")
    await box.client.bind("takes", box.namespace, box.node)
    await box.running("takes")
    (held,) = (await box.client.get(NODE_USES, box.node)).status.held
    assert (held.pod, held.pod_uid) == ("takes", pod.metadata.uid)
    memory = box.cards[1].memory_mib
    assert [(d.device, d.memory_mib, d.milli) for d in held.devices] == [("gpu-1", memory, 1000)]


async def test_a_claim_stays_held_until_what_is_left_of_a_removed_folder_is_gone(box: Box):
    pod = await box.create("hidden", "exec sleep 1000", bind=False, **asks("c10"))
    await box.allocate("c10", pod, "gpu-0")
    await box.client.bind("hidden", box.namespace, box.node)
    await box.running("hidden")
    assert processes_of(pod.metadata.uid)
    await box.stop()
    await box.delete("hidden", grace=0)
    shutil.rmtree(box.home.pod(pod.metadata.uid).root)
    await box.start()
    for _ in range(3000):
        if not await box.held():
            break
        await asyncio.sleep(0.02)
    assert await box.held() == []
    assert not processes_of(pod.metadata.uid)

"""Agents come and go; what their keepers hold is found again, and never started twice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.agent.box import BOOT, Box, state

from shoal.agent.cardlocks import CardLocks
from shoal.agent.processes import processes_of
from shoal.agent.record import Record, RecordState, create_record
from shoal.agent.simulated import simulated_cards
from shoal.api.kinds import PODS


async def test_a_new_agent_adopts_a_running_program(box: Box):
    pod = await box.create("adopted", "echo up; while [ ! -e go ]; do sleep 0.02; done; exit 4")
    await box.running("adopted")
    before = box.record(pod)
    await box.stop()
    await box.start()
    (box.home.pod(pod.metadata.uid).work / "go").touch()
    ended = await box.ended("adopted")
    assert state(ended).terminated.exit_code == 4
    assert ended.status.container_statuses[0].restart_count == 0
    assert box.record(pod).program_pid == before.program_pid
    assert await box.logs("adopted") == "up\n"


async def test_an_end_that_nobody_saw_is_told_by_the_next_agent(box: Box):
    pod = await box.create("unseen", "while [ ! -e go ]; do sleep 0.02; done; exit 6")
    await box.running("unseen")
    await box.stop()
    (box.home.pod(pod.metadata.uid).work / "go").touch()
    await box.until(lambda: box.record(pod).final, "the record of its end")
    await box.start()
    assert state(await box.ended("unseen")).terminated.exit_code == 6


async def test_a_start_that_was_only_prepared_is_made_once(box: Box):
    await box.stop()
    pod = await box.create("prepared", "echo once")
    attempt = box.home.pod(pod.metadata.uid).attempt("main", 0)
    attempt.record.parent.mkdir(parents=True)
    os.close(create_record(attempt.record, Record(RecordState.PREPARED, BOOT)))
    await box.start()
    assert (await box.ended("prepared")).status.phase == "Succeeded"
    assert await box.logs("prepared") == "once\n"


async def test_a_record_that_was_never_filled_in_is_no_start(box: Box):
    await box.stop()
    pod = await box.create("torn", "echo once")
    attempt = box.home.pod(pod.metadata.uid).attempt("main", 0)
    attempt.record.parent.mkdir(parents=True)
    attempt.record.touch()
    await box.start()
    assert (await box.ended("torn")).status.phase == "Succeeded"


async def test_a_pod_deleted_meanwhile_is_ended_by_the_next_agent(box: Box):
    pod = await box.create("deleted", "exec sleep 1000")
    await box.running("deleted")
    await box.stop()
    await box.client.delete(PODS, "deleted", box.namespace)
    await box.start()
    await box.gone("deleted")
    assert processes_of(pod.metadata.uid) == set()


async def test_a_pod_that_vanished_meanwhile_is_ended_by_the_next_agent(box: Box):
    pod = await box.create("vanished", "exec sleep 1000")
    await box.running("vanished")
    await box.stop()
    await box.client.delete(PODS, "vanished", box.namespace, grace=0)
    await box.start()
    await box.until(lambda: not box.home.pods, "the pod's folder to go")
    assert processes_of(pod.metadata.uid) == set()


async def test_a_keeper_killed_meanwhile_fails_the_pod_and_leaves_nothing(box: Box):
    pod = await box.create("lost", "(setsid sleep 1000 &); echo up; exec sleep 1000")
    await box.logs("lost", follow=True, limitBytes=3)
    await box.stop()
    os.kill(box.record(pod).keeper_pid, signal.SIGKILL)
    await box.start()
    assert (await box.ended("lost")).status.reason == "KeeperKilled"
    assert processes_of(pod.metadata.uid) == set()


async def test_what_ran_before_a_reboot_has_failed(box: Box):
    await box.create("ran", "exec sleep 1000", restartPolicy="Always")
    await box.running("ran")
    await box.reboot()
    pod = await box.ended("ran")
    assert (pod.status.reason, pod.status.message) == ("NodeRebooted", "node rebooted")


async def test_a_reboot_is_told_even_where_the_time_is_over_meanwhile(box: Box):
    await box.create("timed", "exec sleep 1000", activeDeadlineSeconds=1000)
    await box.running("timed")
    await box.stop()
    patch = {"spec": {"activeDeadlineSeconds": 1}}
    await box.client.patch(PODS, "timed", box.namespace, patch=patch)
    await box.reboot()
    assert (await box.ended("timed")).status.reason == "NodeRebooted"


async def test_what_had_ended_before_a_reboot_keeps_its_exit(box: Box):
    pod = await box.create("done", "while [ ! -e go ]; do sleep 0.02; done; exit 3")
    await box.running("done")
    await box.stop()
    (box.home.pod(pod.metadata.uid).work / "go").touch()
    await box.until(lambda: box.record(pod).final, "the record of its end")
    await box.start(boot_id="22222222-2222-2222-2222-222222222222")
    assert state(await box.ended("done")).terminated.exit_code == 3


async def test_an_agent_killed_outright_leaves_its_programs_to_the_next(box: Box, api_home: Path):
    await box.stop()
    with start_agent(box, api_home) as agent:
        pod = await box.create(
            "tough", "echo up; while [ ! -e go ]; do sleep 0.02; done; echo down"
        )
        await box.running("tough")
        agent.kill()
    program = box.record(pod).program_pid
    await box.start(boot_id=box.record(pod).boot_id)
    (box.home.pod(pod.metadata.uid).work / "go").touch()
    assert (await box.ended("tough")).status.phase == "Succeeded"
    assert box.record(pod).program_pid == program
    assert await box.logs("tough") == "up\ndown\n"
    unlock(box)


def unlock(box: Box) -> None:
    """What an agent that was killed had locked is its home's to take and let go of."""
    locks = CardLocks(box.home.root)
    locks.take(simulated_cards("sim:1xT4", box.home.root))
    locks.close()


def start_agent(box: Box, api_home: Path) -> "subprocess.Popen[bytes]":
    """An agent as a process of its own, in the box's home."""
    box.home.root.mkdir(exist_ok=True)
    (box.home.root / "kubeconfig").write_bytes((api_home / "kubeconfig").read_bytes())
    return subprocess.Popen(
        [sys.executable, "-m", "shoal", "agent", "--node-name", box.node, "--gpus", "sim:1xT4"],
        env=os.environ | {"SHOAL_HOME": str(box.home.root)},
    )


async def test_an_agent_that_leaves_takes_only_its_own_socket_along(box: Box):
    sock = box.home.socket(box.node)
    sock.unlink()
    sock.write_text("of its successor")
    await box.stop()
    assert sock.read_text() == "of its successor"
    await box.start()
    await box.stop()
    assert not sock.exists()

"""Whole pods on a real API server: how they start, end and are told."""

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest
from tests.agent.box import Box, state

from shoal.agent.cgroups import why_unlimited
from shoal.agent.processes import processes_of
from shoal.agent.tools import Timing
from shoal.api.kinds import EVENTS, PODS
from shoal.api.pod import Pod


async def test_a_program_succeeds(box: Box):
    await box.create("ok", "echo hello")
    pod = await box.ended("ok")
    assert pod.status.phase == "Succeeded"
    assert state(pod).terminated.reason == "Completed"
    assert (pod.status.pod_ip, pod.status.host_ip) == ("127.0.0.1", "127.0.0.1")
    assert await box.logs("ok") == "hello\n"


async def test_an_exit_code_fails_the_pod(box: Box):
    await box.create("seven", "exit 7")
    pod = await box.ended("seven")
    assert pod.status.phase == "Failed"
    assert (state(pod).terminated.exit_code, state(pod).terminated.signal) == (7, 0)


async def test_a_signal_is_told_from_an_exit_code(box: Box):
    await box.create("killed", "kill -9 $$$$")
    terminated = state(await box.ended("killed")).terminated
    assert (terminated.exit_code, terminated.signal, terminated.reason) == (137, 9, "Error")


@pytest.mark.skipif(bool(why_unlimited()), reason="memory limits do not hold on this machine")
async def test_out_of_memory_is_told_from_a_signal(box: Box):
    limits = {"resources": {"limits": {"memory": "30Mi", "cpu": "1"}}}
    greedy = "head -c 100000000 /dev/zero | tail | wc -c"
    await box.create("greedy", f"{greedy}; exit 5", main=limits)
    terminated = state(await box.ended("greedy")).terminated
    assert (terminated.reason, terminated.exit_code) == ("OOMKilled", 5)
    assert terminated.message == (
        "a process of it was killed: out of memory: 30 MiB limit; it then exited with 5"
    )


@pytest.mark.parametrize(
    ("program", "code", "sentence"),
    [
        (["no-such-command"], 127, "command not found: no-such-command"),
        (["/etc/passwd"], 126, "not executable: /etc/passwd"),
    ],
)
async def test_a_start_that_fails_says_why(box: Box, program, code, sentence):
    await box.create("nostart", program)
    terminated = state(await box.ended("nostart")).terminated
    assert (terminated.exit_code, terminated.reason) == (code, "StartError")
    assert terminated.message == sentence


async def test_a_working_folder_that_is_gone(box: Box):
    await box.create("nofolder", main={"workingDir": "/no/such/folder"})
    terminated = state(await box.ended("nofolder")).terminated
    assert terminated.message == "folder gone: /no/such/folder"


async def test_another_image_never_runs_on_the_host(box: Box, tmp_path: Path):
    trace = tmp_path / "trace"
    await box.create("image", f"touch {trace}", main={"image": "python:3.12"})
    pod = await box.pod_that("image", lambda pod: (told := state(pod).waiting) and told.message)
    assert state(pod).waiting.message == "this machine has no container runtime; use image: host"
    assert (await box.logs("image", follow=True)).startswith("400 ")
    await box.delete("image")
    await box.gone("image")
    assert not trace.exists()


async def test_deleting_gives_grace_and_then_kills(box: Box):
    stubborn = "trap '' TERM; echo up; while :; do sleep 0.05; done"
    pod = await box.create("stubborn", stubborn, terminationGracePeriodSeconds=600)
    assert await box.logs("stubborn", follow=True, limitBytes=3) == "up\n"
    await box.delete("stubborn", grace=1)
    await box.gone("stubborn")
    assert processes_of(pod.metadata.uid) == set()
    await box.until(lambda: not box.home.pods, "the pod's folder to go")


async def test_a_deletion_may_grant_more_than_the_pods_own_grace(box: Box, tmp_path: Path):
    saved = tmp_path / "saved"
    slow = f"trap 'sleep 2; echo bye > {saved}; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    await box.create("slow", slow, terminationGracePeriodSeconds=1)
    await box.logs("slow", follow=True, limitBytes=3)
    await box.delete("slow", grace=600)
    await box.gone("slow")
    assert saved.read_text() == "bye\n"


@pytest.mark.parametrize("grace", [2**31, 2**63 - 1])
async def test_a_grace_longer_than_anyone_counts_runs_and_ends(box: Box, grace: int):
    await box.create("patient", "echo up; sleep 1000", terminationGracePeriodSeconds=grace)
    assert await box.logs("patient", follow=True, limitBytes=3) == "up\n"
    assert (await box.pod("patient")).spec.termination_grace_period_seconds == grace
    await box.delete("patient")
    await box.gone("patient")


async def test_a_cpu_limit_beyond_all_machines_is_none(box: Box):
    limits = {"requests": {"cpu": "1m"}, "limits": {"cpu": "1e12"}}
    await box.create("greedy", "echo up", main={"resources": limits})
    assert (await box.ended("greedy")).status.phase == "Succeeded"


async def test_a_second_deletion_may_only_shorten_the_grace(box: Box, tmp_path: Path):
    heard = tmp_path / "heard"
    stubborn = f"trap 'echo > {heard}' TERM; echo up; while :; do sleep 0.05; done"
    await box.create("stubborn", stubborn)
    await box.logs("stubborn", follow=True, limitBytes=3)
    await box.delete("stubborn", grace=500)
    await box.until(heard.exists, "the first deletion")
    await box.delete("stubborn", grace=600)
    assert (await box.pod("stubborn")).metadata.deletion_grace_period_seconds == 500
    await box.delete("stubborn", grace=1)
    await box.gone("stubborn")


async def test_the_keeper_counts_the_grace_of_a_deletion_when_the_agent_is_away(
    box: Box, tmp_path: Path
):
    heard = tmp_path / "heard"
    stubborn = f"trap 'echo > {heard}' TERM; echo up; while :; do sleep 0.05; done"
    pod = await box.create("stubborn", stubborn, terminationGracePeriodSeconds=3600)
    await box.logs("stubborn", follow=True, limitBytes=3)
    await box.delete("stubborn", grace=2)
    await box.until(heard.exists, "the deletion to reach the program")
    await box.stop()
    await box.until(lambda: box.record(pod).final, "its end")
    assert box.record(pod).signal == signal.SIGKILL
    await box.start()
    await box.gone("stubborn")


async def test_a_program_may_end_well_within_its_grace(box: Box, tmp_path: Path):
    saved = tmp_path / "saved"
    gentle = f"trap 'echo bye > {saved}; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    await box.create("gentle", gentle)
    await box.logs("gentle", follow=True, limitBytes=3)
    await box.delete("gentle")
    await box.gone("gentle")
    assert saved.read_text() == "bye\n"


async def test_a_deadline_that_is_set_later_ends_the_pod_and_keeps_its_log(box: Box):
    await box.create("late", "echo up; exec sleep 1000")
    await box.running("late")
    patch = {"spec": {"activeDeadlineSeconds": 1}}
    await box.client.patch(PODS, "late", box.namespace, patch=patch)
    pod = await box.ended("late")
    assert (pod.status.phase, pod.status.reason) == ("Failed", "DeadlineExceeded")
    assert state(pod).terminated.signal == signal.SIGTERM
    assert await box.logs("late") == "up\n"


async def events_of(box: Box, name: str, *reasons: str) -> dict[str, tuple[str, str]]:
    """Type and message by reason, once there are events for these reasons."""
    for _ in range(3000):
        listed = await box.client.request("GET", f"/api/v1/namespaces/{box.namespace}/events")
        mine = [e for e in json.loads(listed)["items"] if e["involvedObject"]["name"] == name]
        found = {event["reason"]: (event["type"], event["message"]) for event in mine}
        if set(reasons) <= found.keys():
            return found
        await asyncio.sleep(0.02)
    raise AssertionError(f"waited 60 s for {reasons}; there is {found}")


async def test_events_tell_of_a_pods_start_of_its_stop_and_of_its_failure(box: Box):
    await box.create("told", "exec sleep 1000")
    await box.running("told")
    patch = {"spec": {"activeDeadlineSeconds": 1}}
    await box.client.patch(PODS, "told", box.namespace, patch=patch)
    await box.ended("told")
    assert await events_of(box, "told", "Started", "Killing", "Failed") == {
        "Started": ("Normal", "started container main"),
        "Killing": ("Normal", "stopping container main: its time is over"),
        "Failed": ("Warning", "stopped after its time of 1s"),
    }


async def test_an_event_tells_how_a_container_failed(box: Box):
    await box.create("crashes", "kill -SEGV $$$$")
    told = (await events_of(box, "crashes", "Failed"))["Failed"]
    assert told == ("Warning", "container main was killed by signal 11 (segmentation fault)")


async def test_what_escapes_into_another_session_is_gone_before_the_pod_has_ended(box: Box):
    pod = await box.create("escape", "(setsid sleep 1000 &); (sleep 1000 &); exit 0")
    await box.ended("escape")
    assert processes_of(pod.metadata.uid) == set()


async def test_a_failing_container_is_started_again_as_its_policy_says(box: Box):
    junk = "touch ../containers/main/notes ../containers/main/x.record"
    twice = f"[ -e again ] && exit 0; touch again; {junk}; exit 1"
    await box.create("flaky", twice, restartPolicy="OnFailure")
    pod = await box.ended("flaky")
    assert pod.status.phase == "Succeeded"
    assert pod.status.container_statuses[0].restart_count == 1
    assert pod.status.container_statuses[0].last_state.terminated.exit_code == 1


async def warnings_about(box: Box, name: str, reason: str) -> list[str]:
    """The messages of a pod's warnings for a reason, once there is one."""
    for _ in range(3000):
        fields = {"fieldSelector": f"involvedObject.name={name},type=Warning,reason={reason}"}
        body = await box.client.request("GET", EVENTS.path(box.namespace), query=fields)
        if told := [event["message"] for event in json.loads(body)["items"]]:
            return told
        await asyncio.sleep(0.02)
    raise AssertionError(f"waited 60 s for an event {reason}")


def waits_to_restart(pod: Pod) -> bool:
    waiting = state(pod).waiting
    return waiting is not None and waiting.reason == "CrashLoopBackOff"


async def test_the_first_restart_is_at_once_and_the_next_after_a_while(box: Box, monkeypatch):
    monkeypatch.setattr("tests.agent.box.QUICK", Timing(first_backoff=200.0))
    await box.stop()
    await box.start()
    await box.create("crashing", "exit 7", restartPolicy="OnFailure")
    pod = await box.pod_that("crashing", waits_to_restart)
    assert restarts(pod) == 1
    told = "container main exited with 7; it is started again"
    assert await warnings_about(box, "crashing", "Failed") == [told]
    assert await warnings_about(box, "crashing", "BackOff") == [f"{told} in 200 s"]


async def test_a_container_that_ran_long_enough_is_started_again_at_once(box: Box, monkeypatch):
    monkeypatch.setattr("tests.agent.box.QUICK", Timing(first_backoff=200.0, steady=0.0))
    await box.stop()
    await box.start()
    await box.create("steady", "exit 7", restartPolicy="Always")
    await box.pod_that("steady", lambda pod: restarts(pod) >= 3, "restarts")


def restarts(pod: Pod) -> int:
    return max((status.restart_count for status in pod.status.container_statuses), default=0)


async def test_always_means_always_and_the_log_before_stays(box: Box):
    pod = await box.create("loop", "echo life; exit 0", restartPolicy="Always")
    await box.pod_that("loop", lambda pod: restarts(pod) >= 3, "restarts")
    assert await box.logs("loop", previous=True) == "life\n"
    assert len(box.home.pod(pod.metadata.uid).records) <= 3


async def test_init_containers_run_first_and_in_order(box: Box):
    init = [
        {"name": name, "image": "host", "command": ["sh", "-c", f"echo {name} >> order"]}
        for name in ("first", "second")
    ]
    await box.create("ordered", "cat order", initContainers=init)
    assert (await box.ended("ordered")).status.phase == "Succeeded"
    assert await box.logs("ordered") == "first\nsecond\n"


async def test_a_failing_init_container_fails_the_pod(box: Box):
    init = [{"name": "broken", "image": "host", "command": ["false"]}]
    pod = await box.create("unready", "echo never", initContainers=init)
    ended = await box.ended("unready")
    assert ended.status.phase == "Failed"
    assert ended.status.init_container_statuses[0].state.terminated.exit_code == 1
    assert box.home.pod(pod.metadata.uid).last_attempt("main") is None
    assert state(ended).terminated.message == "the pod ended before it was started"


async def test_containers_of_a_pod_run_beside_each_other(box: Box):
    other = {"name": "other", "image": "host", "command": ["sh", "-c", "echo there > mail"]}
    main = {"name": "main", "image": "host"}
    wait = "while [ ! -s mail ]; do sleep 0.02; done; cat mail"
    await box.create("pair", containers=[main | {"command": ["sh", "-c", wait]}, other])
    assert (await box.ended("pair")).status.phase == "Succeeded"
    assert await box.logs("pair") == "there\n"


async def test_a_pod_whose_object_vanishes_is_killed(box: Box):
    pod = await box.create("vanish", "exec sleep 1000")
    await box.running("vanish")
    await box.delete("vanish", grace=0)
    await box.until(lambda: not processes_of(pod.metadata.uid), "the end of its program")
    await box.until(lambda: not box.home.pods, "the pod's folder to go")


async def test_many_pods_at_once(box: Box):
    await asyncio.gather(*(box.create(f"many-{i}", f"echo {i}; exit {i}") for i in range(30)))
    for i in range(30):
        pod = await box.ended(f"many-{i}")
        assert state(pod).terminated.exit_code == i
        assert await box.logs(f"many-{i}") == f"{i}\n"


async def test_a_killed_keeper_takes_its_tree_along_and_the_pod_says_so(box: Box):
    tree = "(setsid sleep 1000 &); (sleep 1000 &); echo up; exec sleep 1000"
    pod = await box.create("orphan", tree, restartPolicy="Always")
    await box.logs("orphan", follow=True, limitBytes=3)
    os.kill(box.record(pod).keeper_pid, signal.SIGKILL)
    ended = await box.ended("orphan")
    assert (ended.status.reason, ended.status.message) == ("KeeperKilled", "keeper was killed")
    assert processes_of(pod.metadata.uid) == set()

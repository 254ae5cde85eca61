"""Sidecars start before the main containers, are there as long as those are, and end after them."""

import signal
from pathlib import Path

from tests.agent.box import Box, state

from shoal.agent.processes import processes_of
from shoal.api.meta import find_condition
from shoal.api.pod import ContainerStatus, Pod

FOREVER = "while :; do sleep 0.05; done"


def side(name: str, script: str) -> dict[str, object]:
    command = ["sh", "-c", script]
    return {"name": name, "image": "host", "command": command, "restartPolicy": "Always"}


def telling(name: str, log: object) -> dict[str, object]:
    """A sidecar that notes its start and its stop, and then exits with 3."""
    return side(
        name, f"trap 'echo -{name} >> {log}; exit 3' TERM; echo +{name} >> {log}; {FOREVER}"
    )


def first(pod: Pod, at: int = 0) -> ContainerStatus:
    told = pod.status.init_container_statuses
    return told[at] if told else ContainerStatus()


async def test_a_pod_is_over_when_its_main_containers_are_and_sidecars_end_in_reverse(
    box: Box, tmp_path: Path
):
    log = tmp_path / "log"
    sidecars = [telling("a", log), telling("b", log)]
    await box.create(
        "both",
        f"until grep -q +b {log}; do sleep 0.02; done; echo main >> {log}",
        initContainers=sidecars,
    )
    pod = await box.ended("both")
    assert pod.status.phase == "Succeeded"
    assert log.read_text().split() == ["+a", "+b", "main", "-b", "-a"]
    assert [first(pod, at).state.terminated.exit_code for at in (0, 1)] == [3, 3]
    assert processes_of(pod.metadata.uid) == set()


async def test_a_sidecar_that_runs_is_ready_and_so_is_its_pod(box: Box):
    await box.create("ready", "exec sleep 1000", initContainers=[side("a", FOREVER)])
    pod = await box.running("ready")
    conditions = pod.status.conditions
    truths = {kind: find_condition(conditions, kind).status for kind in ("Initialized", "Ready")}
    assert truths == {"Initialized": "True", "Ready": "True"}
    assert first(pod).ready


async def test_a_sidecar_is_started_again_whatever_the_pods_policy_says(box: Box):
    again = f"echo >> starts; [ $(wc -l < starts) -lt 2 ] && exit 1; {FOREVER}"
    main = "until [ $(wc -l < starts) -ge 2 ]; do sleep 0.02; done"
    await box.create("again", main, initContainers=[side("a", again)])
    pod = await box.ended("again")
    assert pod.status.phase == "Succeeded"
    assert first(pod).restart_count == 1


async def test_nothing_starts_before_a_sidecar_has(box: Box, tmp_path: Path):
    trace = tmp_path / "trace"
    broken = side("a", "") | {"command": ["no-such-program"]}
    await box.create("never", f"touch {trace}", initContainers=[broken])
    pod = await box.pod_that("never", lambda pod: first(pod).restart_count >= 1, "another try")
    assert pod.status.phase == "Pending"
    assert find_condition(pod.status.conditions, "Initialized").status == "False"
    await box.delete("never")
    await box.gone("never")
    assert not trace.exists()


async def test_an_init_container_that_fails_ends_the_sidecars_before_it(box: Box, tmp_path: Path):
    log = tmp_path / "log"
    fails = f"until grep -q +a {log}; do sleep 0.02; done; exit 4"
    init = [telling("a", log), {"name": "b", "image": "host", "command": ["sh", "-c", fails]}]
    await box.create("failed", "true", initContainers=init)
    assert (await box.ended("failed")).status.phase == "Failed"
    assert log.read_text().split() == ["+a", "-a"]


async def test_a_deleted_pods_sidecars_end_after_its_main_containers(box: Box, tmp_path: Path):
    log = tmp_path / "log"
    main = f"trap 'sleep 0.3; echo main >> {log}; exit 0' TERM; echo up; {FOREVER}"
    await box.create("deleted", main, initContainers=[telling("a", log)])
    await box.logs("deleted", follow=True, limitBytes=3)
    await box.until(lambda: log.exists() and log.read_text(), "the sidecar's start")
    await box.delete("deleted")
    await box.gone("deleted")
    assert log.read_text().split() == ["+a", "main", "-a"]


async def test_a_sidecar_that_will_not_end_is_killed_after_the_grace(box: Box):
    stubborn = side("a", f"trap '' TERM; {FOREVER}")
    await box.create("stubborn", initContainers=[stubborn], terminationGracePeriodSeconds=1)
    pod = await box.ended("stubborn")
    assert pod.status.phase == "Succeeded"
    assert first(pod).state.terminated.signal == signal.SIGKILL


async def test_a_deletion_shortens_the_grace_of_sidecars_that_are_just_ending(
    box: Box, tmp_path: Path
):
    heard = tmp_path / "heard"
    stubborn = side("a", f"trap 'echo > {heard}' TERM; {FOREVER}")
    await box.create("stubborn", initContainers=[stubborn], terminationGracePeriodSeconds=3600)
    await box.until(heard.exists, "the end of the main container")
    assert state(await box.pod_that("stubborn", lambda p: state(p).terminated)).terminated
    await box.delete("stubborn", grace=1)
    await box.gone("stubborn")


async def test_a_new_agent_takes_up_sidecars_and_ends_them_when_it_is_time(
    box: Box, tmp_path: Path
):
    log = tmp_path / "log"
    pod = await box.create(
        "adopted", "while [ ! -e go ]; do sleep 0.02; done", initContainers=[telling("a", log)]
    )
    await box.running("adopted")
    before = box.record(pod, "a")
    await box.stop()
    (box.home.pod(pod.metadata.uid).work / "go").touch()
    await box.until(lambda: box.record(pod).final, "the end of the main container")
    assert not box.record(pod, "a").final
    await box.start()
    assert (await box.ended("adopted")).status.phase == "Succeeded"
    assert log.read_text().split() == ["+a", "-a"]
    assert box.record(pod, "a").program_pid == before.program_pid


async def test_what_was_deleted_while_the_agent_was_away_ends_whole(box: Box, tmp_path: Path):
    log = tmp_path / "log"
    main = f"trap 'echo main >> {log}; exit 0' TERM; echo up; {FOREVER}"
    pod = await box.create("away", main, initContainers=[telling("a", log)])
    await box.logs("away", follow=True, limitBytes=3)
    await box.until(lambda: log.exists() and log.read_text(), "the sidecar's start")
    await box.stop()
    await box.delete("away", grace=600)
    await box.start()
    await box.gone("away")
    assert log.read_text().split() == ["+a", "main", "-a"]
    assert processes_of(pod.metadata.uid) == set()


async def test_a_pod_with_sidecars_is_lost_in_a_reboot(box: Box):
    await box.create("lost", "exec sleep 1000", initContainers=[side("a", FOREVER)])
    await box.running("lost")
    await box.reboot()
    pod = await box.ended("lost")
    assert (pod.status.phase, pod.status.reason) == ("Failed", "NodeRebooted")

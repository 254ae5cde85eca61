"""Programs that turn on what watches over them: they end, and are never started twice."""

from pathlib import Path

import pytest
from tests.agent.box import Box

from shoal.agent.cgroups import Cgroups, find_cgroups
from shoal.agent.podgroups import groups_of
from shoal.agent.processes import processes_of, stands_still
from shoal.api.kinds import PODS

REMOVE = 'cd ..; echo life >> {trace}; rm -rf "$PWD"'
"""From its working folder on, a program removes all that the agent knows of its pod."""


async def test_a_program_that_removes_its_record_has_failed_and_is_not_started_again(
    box: Box, tmp_path: Path
):
    trace = tmp_path / "trace"
    await box.create("tidy", REMOVE.format(trace=trace), restartPolicy="Always")
    pod = await box.ended("tidy")
    assert (pod.status.phase, pod.status.reason) == ("Failed", "RecordRemoved")
    assert pod.status.message == "its record was removed"
    assert trace.read_text() == "life\n"


async def test_nor_does_the_next_agent_start_it_again(box: Box, tmp_path: Path):
    trace = tmp_path / "trace"
    remove = REMOVE.format(trace=trace)
    pod = await box.create(
        "tidier",
        f"until [ -e go ]; do sleep 0.02; done; {remove}; echo gone >> {trace}; sleep 1000",
    )
    await box.running("tidier")
    (box.home.pod(pod.metadata.uid).work / "go").touch()
    await box.until(lambda: trace.exists() and "gone" in trace.read_text(), "the removal")
    await box.stop()
    await box.start()
    assert (await box.ended("tidier")).status.reason == "RecordRemoved"
    assert processes_of(pod.metadata.uid) == set()
    assert trace.read_text() == "life\ngone\n"


async def test_what_was_seen_to_run_before_an_agent_went_is_not_started_without_its_record(
    box: Box, tmp_path: Path
):
    trace = tmp_path / "trace"
    pod = await box.create("known", f"echo life >> {trace}; exec sleep 1000")
    await box.running("known")
    await box.stop()
    for record in box.home.pod(pod.metadata.uid).records:
        record.unlink()
    await box.start()
    assert (await box.ended("known")).status.message == "its record was removed"
    assert processes_of(pod.metadata.uid) == set()
    assert trace.read_text() == "life\n"


@pytest.mark.parametrize(
    "stopping",
    ["kill -STOP $PPID; exec sleep 1000", "trap '' TERM; while kill -STOP $PPID; do :; done"],
)
async def test_a_program_that_stops_its_keeper_ends_all_the_same(box: Box, stopping: str):
    children = "(setsid env -i sleep 1000 &)"
    pod = await box.create("still", f"{children}; {stopping}", terminationGracePeriodSeconds=0)
    record = box.home.pod(pod.metadata.uid).attempt("main", 0).record
    await box.until(record.exists, "its record")
    await box.until(lambda: stands_still(box.record(pod).keeper_pid), "its keeper to stand still")
    patch = {"spec": {"activeDeadlineSeconds": 1}}
    await box.client.patch(PODS, "still", box.namespace, patch=patch)
    assert (await box.ended("still")).status.phase == "Failed"
    assert processes_of(pod.metadata.uid) == set()
    assert not Path(f"/proc/{box.record(pod).keeper_pid}").exists()


@pytest.mark.skipif(not find_cgroups().bases, reason="no control groups can be made here")
async def test_groups_that_an_agent_made_elsewhere_are_found_and_removed(box: Box):
    name, base = next(iter(find_cgroups().bases.items()))
    former = base / f"former-{box.node}"[:60]
    former.mkdir()
    try:
        box.cgroups = Cgroups({name: former}, find_cgroups().version)
        await box.stop()
        await box.start()
        pod = await box.create("moved", "exec env -i setsid sh -c 'kill -9 $PPID; sleep 1000'")
        await box.ended("moved")
        pod = await box.create("left", "exec sleep 1000")
        await box.running("left")
        home = box.home.pod(pod.metadata.uid)
        await box.stop()
        box.cgroups = Cgroups({}, 1)
        await box.start()
        assert [folder.parent for folder in groups_of(box.cgroups, home)] == [former]
        await box.delete("left", grace=0)
        await box.gone("left")
        await box.until(lambda: not home.root.exists(), "its folder to go")
    finally:
        former.rmdir()  # fails where a group or a process was left

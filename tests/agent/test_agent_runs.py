"""What pods of a run get beside their command: code, outputs, rank."""

import asyncio
import errno
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from tests.agent.box import Box, state
from tests.agent.snapshots import snapshot, store

from shoal.agent import preparing
from shoal.agent.code import place_code
from shoal.agent.errors import PodError
from shoal.agent.home import Home
from shoal.api.kinds import PODS, RUNS
from shoal.api.meta import ANNOTATION_CODE, API_VERSION
from shoal.api.pod import Pod, WaitingState
from shoal.api.snapshot import PREFIX, Entry, encode_manifest, object_path


def test_a_snapshot_becomes_a_private_copy(tmp_path: Path):
    code, work = snapshot(tmp_path), tmp_path / "work"
    assert place_code(code, tmp_path, work) == work
    assert (work / "data/x").read_bytes() == b"original"
    assert (work / "link").readlink() == Path("data/x")
    assert (work / "train.sh").stat().st_mode & 0o777 == 0o755
    (work / "data/x").write_text("changed")
    assert place_code(code, tmp_path, tmp_path / "again").joinpath("link").read_text() == "original"


def test_half_a_copy_is_completed(tmp_path: Path):
    code, work = snapshot(tmp_path), tmp_path / "work"
    place_code(code, tmp_path, work)
    (work / "data/x").write_text("ori")
    place_code(code, tmp_path, work)
    assert (work / "data/x").read_text() == "original"


def test_damage_is_found(tmp_path: Path):
    code = snapshot(tmp_path)
    object_path(tmp_path, hashlib.sha256(b"original").hexdigest()).write_bytes(b"other")
    with pytest.raises(PodError, match="is damaged; run it again from its folder"):
        place_code(code, tmp_path, tmp_path / "work")


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", ""])
def test_a_snapshot_cannot_write_outside_its_folder(tmp_path: Path, path: str):
    code = PREFIX + store(
        tmp_path, encode_manifest([Entry(path, 0o644, hash=store(tmp_path, b""))])
    )
    with pytest.raises(PodError, match="outside its folder"):
        place_code(code, tmp_path, tmp_path / "work")


def test_a_link_is_no_way_out_either(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    entries = [
        Entry("a", 0o777, link=str(outside)),
        Entry("a/x", 0o644, hash=store(tmp_path, b"got out")),
    ]
    code = PREFIX + store(tmp_path, encode_manifest(entries))
    with pytest.raises((PodError, OSError)):
        place_code(code, tmp_path, tmp_path / "work")
    assert not (outside / "x").exists()


async def test_a_program_runs_in_its_copy_of_the_snapshot(box: Box):
    code = snapshot(box.home.root)
    meta = {"annotations": {ANNOTATION_CODE: code}}
    await box.create("trains", "./train.sh; cat data/x", meta=meta)
    await box.ended("trains")
    assert await box.logs("trains") == "trained\nspoilt\n"


async def test_code_in_place_is_used_where_it_is(box: Box, tmp_path: Path):
    meta = {"annotations": {ANNOTATION_CODE: str(tmp_path)}}
    await box.create("inplace", "pwd", meta=meta)
    await box.ended("inplace")
    assert await box.logs("inplace") == f"{tmp_path}\n"


async def test_a_folder_that_is_gone_fails_the_pod_with_its_name(box: Box):
    await box.create("gone", meta={"annotations": {ANNOTATION_CODE: "/no/such/code"}})
    assert (await box.ended("gone")).status.message == "folder gone: /no/such/code"


def member(run: dict[str, str], rank: int, world: int) -> dict[str, object]:
    labels = {"shoal.dev/run": run["name"], "shoal.dev/rank": str(rank)}
    labels |= {"shoal.dev/replicas": str(world), "shoal.dev/attempt": "0"}
    owner = {"apiVersion": API_VERSION, "kind": "Run", "controller": True, **run}
    return {"labels": labels, "ownerReferences": [owner]}


async def make_run(box: Box, name: str) -> dict[str, str]:
    run = {
        "apiVersion": API_VERSION,
        "kind": "Run",
        "metadata": {"name": name},
        "spec": {"run": "x"},
    }
    made = await box.client.create(RUNS, run, box.namespace)
    return {"name": name, "uid": made.metadata.uid}


async def test_replicas_find_each_other(box: Box):
    run = await make_run(box, "ring")
    show = "echo $RANK/$WORLD_SIZE $SHOAL_RANK $SHOAL_RUN $MASTER_ADDR:$MASTER_PORT"
    made = (box.create(f"ring-{i}", show, meta=member(run, i, 3)) for i in (2, 1, 0))
    await asyncio.gather(*made)
    for i in range(3):
        await box.ended(f"ring-{i}")
    first = await box.client.get(PODS, "ring-0", box.namespace)
    port = first.metadata.annotations["shoal.dev/rank-port"]
    for i in range(3):
        assert await box.logs(f"ring-{i}") == f"{i}/3 {i} ring 127.0.0.1:{port}\n"


async def test_outputs_stay_as_long_as_their_run(box: Box):
    run = await make_run(box, "keeps")
    await box.create("keeps-0", "echo model > $SHOAL_OUT/model", meta=member(run, 0, 1))
    await box.ended("keeps-0")
    out = box.home.run(box.namespace, "keeps") / "out" / "model"
    await box.delete("keeps-0")
    await box.until(lambda: not box.home.pods, "the pod's folder to go")
    assert out.read_text() == "model\n"
    await box.stop()
    await box.client.delete(RUNS, "keeps", box.namespace)
    await box.start()
    await box.until(lambda: not out.exists(), "the outputs to go with their run")


async def test_outputs_go_when_the_run_goes(box: Box):
    run = await make_run(box, "goes")
    await box.create("goes-0", "echo model > $SHOAL_OUT/model", meta=member(run, 0, 1))
    await box.ended("goes-0")
    await box.client.delete(RUNS, "goes", box.namespace)
    await box.delete("goes-0")
    await box.until(lambda: not box.home.run(box.namespace, "goes").exists(), "the outputs to go")


async def test_a_pod_that_only_says_that_it_is_of_a_run_leaves_its_outputs_alone(box: Box):
    run = await make_run(box, "digits")
    await box.create("digits-0", "echo model > $SHOAL_OUT/model", meta=member(run, 0, 1))
    await box.ended("digits-0")
    meta = {"labels": {"shoal.dev/run": "digits"}}
    stray = await box.create("stray", "echo $SHOAL_OUT; rm -rf $SHOAL_OUT/*", meta=meta)
    await box.ended("stray")
    assert await box.logs("stray") == f"{box.home.pod(stray.metadata.uid).root}/out\n"
    await box.delete("stray")
    await box.until(lambda: len(box.home.pods) == 1, "the stray pod's folder to go")
    out = box.home.run(box.namespace, "digits") / "out" / "model"
    assert out.read_text() == "model\n"


async def test_a_pod_waits_while_the_disk_is_full(box: Box, monkeypatch: pytest.MonkeyPatch):
    full = True
    lay = preparing.lay_ground

    async def lay_ground(*given: Any) -> Any:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return await lay(*given)

    monkeypatch.setattr(preparing, "lay_ground", lay_ground)
    await box.create("waits", "echo started")
    pod = await box.pod_that("waits", lambda pod: waiting(pod).reason == "OutOfResources")
    home = box.home.root
    assert (
        waiting(pod).message == f"the disk of the home {home} is full; it starts when there is room"
    )
    full = False
    await box.ended("waits")
    assert await box.logs("waits") == "started\n"


async def test_a_place_that_is_no_folder_fails_the_pod_with_its_path(box: Box):
    (box.home.root / "runs").touch()
    run = await make_run(box, "blocked")
    await box.create("blocked-0", meta=member(run, 0, 1))
    message = (await box.ended("blocked-0")).status.message
    assert message.startswith(f"the pod cannot be prepared: {box.home.root}/runs")
    assert message.endswith(": Not a directory")


def waiting(pod: Pod) -> WaitingState:
    return state(pod).waiting or WaitingState()


def test_a_temporary_folder_leaves_room_for_the_names_of_sockets(tmp_path: Path):
    uid, home = "0" * 36, Path("/home/somebody/.shoal")
    assert Home(home).pod(uid).tmp.is_relative_to(home)
    assert len(str(Home(home).pod(uid).tmp)) <= 60
    assert len(str(Home(tmp_path / ("x" * 100)).pod(uid).tmp)) <= 60

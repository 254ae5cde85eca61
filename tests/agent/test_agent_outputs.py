"""Outputs of runs: what may be removed, and what never is."""

import asyncio
import errno
import logging
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shoal.agent import files, outputs
from shoal.agent.errors import PodError
from shoal.agent.files import make_private, remove_tree, write_private
from shoal.agent.home import Home
from shoal.agent.outputs import make_output, remove_if_over, sweep_outputs
from shoal.api.kinds import NAMESPACES
from shoal.api.meta import API_VERSION, Object, ObjectMeta, OwnerReference
from shoal.api.pod import Pod
from shoal.api.run import Run, RunSpec
from shoal.kube.errors import ApiError

OLD, NEW, OTHER, STORE = (f"7e3b6716-0fe1-4a12-a58f-42de26359fa{n}" for n in range(4))


class Runs:
    """The runs that the API server knows: name to uid, all in namespace default."""

    def __init__(self, **uids: str) -> None:
        self.uids = uids
        self.store = STORE

    async def get(self, kind: object, name: str, namespace: str = "") -> Any:
        await asyncio.sleep(0)
        if kind is NAMESPACES and self.store:
            return Object(metadata=ObjectMeta(name=name, uid=self.store))
        if name not in self.uids:
            raise ApiError(404, "NotFound", f"runs {name} not found")
        meta = ObjectMeta(name=name, namespace=namespace, uid=self.uids[name])
        return Run(metadata=meta, spec=RunSpec(run="x"))

    async def list(self, kind: object) -> Any:
        return SimpleNamespace(items=[await self.get(kind, name, "default") for name in self.uids])


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "_LOOKS_S", (0, 0))


def pod_of(uid: str, run: str = "digits", **owner: Any) -> Pod:
    given = {"api_version": API_VERSION, "kind": "Run", "controller": True, **owner}
    references = [OwnerReference(name=run, uid=uid, **given)]
    meta = ObjectMeta(
        name=f"{run}-0", namespace="default", uid=str(uuid.uuid4()), owner_references=references
    )
    return Pod(metadata=meta)


async def with_checkpoint(runs: Runs, home: Home, uid: str = OLD) -> Path:
    checkpoint = await make_output(runs, home, pod_of(uid)) / "checkpoint"
    checkpoint.write_text("epoch 9")
    return checkpoint


def left_in(folder: Path) -> list[Path]:
    return list(folder.glob("*")) if folder.exists() else []


async def test_every_start_of_a_run_finds_its_outputs_and_writes_no_mark_again(home: Home):
    runs = Runs(digits=OLD)
    checkpoint = await with_checkpoint(runs, home)
    mark = checkpoint.parents[1] / ".run"
    before = mark.stat()
    assert await make_output(runs, home, pod_of(OLD)) == checkpoint.parent
    assert checkpoint.read_text() == "epoch 9"
    assert (mark.stat().st_ino, mark.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_a_full_disk_takes_no_outputs(home: Home, monkeypatch: pytest.MonkeyPatch):
    runs = Runs(digits=OLD)
    checkpoint = await with_checkpoint(runs, home)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        await make_output(runs, home, pod_of(NEW, "another"))
    assert await make_output(runs, home, pod_of(OLD)) == checkpoint.parent
    assert checkpoint.read_text() == "epoch 9"
    assert not home.run("default", "another").exists()
    assert left_in(home.trash) == []


@pytest.mark.parametrize("mark", ["", "\0" * 40, OLD[:9], f"default/backup {OLD} {STORE}", None])
async def test_outputs_that_do_not_say_whose_they_are_are_kept(
    home: Home, mark: str | None, caplog: pytest.LogCaptureFixture
):
    checkpoint = await with_checkpoint(Runs(digits=OLD), home)
    file = checkpoint.parents[1] / ".run"
    file.unlink() if mark is None else file.write_text(mark)
    with caplog.at_level(logging.WARNING):
        await sweep_outputs(Runs(), home)
        await remove_if_over(Runs(), home, "default", "digits")
        assert checkpoint.read_text() == "epoch 9"
        assert "left alone" in caplog.text
        fresh = await make_output(Runs(digits=NEW), home, pod_of(NEW))
    assert list(fresh.iterdir()) == []
    (kept,) = home.unclear.iterdir()
    assert (kept / "out/checkpoint").read_text() == "epoch 9"
    assert "set aside" in caplog.text
    await sweep_outputs(Runs(digits=NEW), home)
    assert kept.exists()


async def test_a_copy_of_outputs_is_no_runs(home: Home):
    checkpoint = await with_checkpoint(Runs(digits=OLD), home)
    copy = checkpoint.parents[1].rename(home.run("default", "backup"))
    await sweep_outputs(Runs(), home)
    assert (copy / "out/checkpoint").read_text() == "epoch 9"


@pytest.mark.parametrize("store", [NEW, ""])
async def test_a_store_begun_anew_knows_nothing_of_the_outputs_there(home: Home, store: str):
    checkpoint = await with_checkpoint(Runs(digits=OLD), home)
    anew = Runs()
    anew.store = store
    await sweep_outputs(anew, home)
    await remove_if_over(anew, home, "default", "digits")
    assert checkpoint.read_text() == "epoch 9"


async def test_only_the_run_that_controls_a_pod_shares_its_outputs(home: Home):
    runs = Runs(digits=OLD)
    checkpoint = await with_checkpoint(runs, home)
    for wrong in (
        {"controller": False}, {"kind": "Job"}, {"api_version": "v1"},
        {"run": "../digits"}, {"uid": ""},
    ):  # fmt: skip
        pod = pod_of(**{"uid": OLD, **wrong})
        assert await make_output(runs, home, pod) == home.pod(pod.metadata.uid).root / "out"
    with pytest.raises(PodError, match="earlier run digits, which is gone"):
        await make_output(runs, home, pod_of(OTHER))
    assert checkpoint.read_text() == "epoch 9"


async def test_replicas_of_a_new_run_share_a_folder_that_its_namesake_does_not_spoil(home: Home):
    await with_checkpoint(Runs(digits=OLD), home)
    runs = Runs(digits=NEW)
    removals = (remove_if_over(runs, home, "default", "digits") for _ in range(4))
    starts = (make_output(runs, home, pod_of(NEW)) for _ in range(4))
    *_, out = await asyncio.gather(*removals, *starts, sweep_outputs(runs, home), _last(runs, home))
    assert list(out.iterdir()) == []
    assert left_in(home.trash) == []


async def _last(runs: Runs, home: Home) -> Path:
    return await make_output(runs, home, pod_of(NEW))


async def test_a_namespace_goes_with_its_last_run(home: Home):
    runs = Runs(digits=OLD, other=OTHER)
    checkpoint = await with_checkpoint(runs, home)
    await make_output(runs, home, pod_of(OTHER, "other"))
    del runs.uids["other"]
    await remove_if_over(runs, home, "default", "other")
    assert checkpoint.exists()
    del runs.uids["digits"]
    await remove_if_over(runs, home, "default", "digits")
    assert list((home.root / "runs").iterdir()) == [home.trash]


async def test_a_run_that_came_after_the_list_was_read_keeps_its_outputs(home: Home):
    runs = Runs(digits=OLD)
    checkpoint = await with_checkpoint(runs, home)

    async def list_nothing(kind: object) -> Any:
        return SimpleNamespace(items=[])

    runs.list = list_nothing  # type: ignore[method-assign]
    await sweep_outputs(runs, home)
    assert checkpoint.exists()


async def test_the_trash_is_emptied_by_the_next_agent(home: Home):
    make_private(home.trash / "half").joinpath("file").touch()
    await sweep_outputs(Runs(), home)
    assert left_in(home.trash) == []


async def test_what_is_made_is_private(home: Home):
    out = await make_output(Runs(digits=OLD), home, pod_of(OLD))
    home.pod(NEW).make()
    write_private(home.pod(NEW).claims, b"[]")
    made = [path for path in home.root.rglob("*") if path != home.root]
    assert out in made
    assert {path.stat().st_mode & 0o777 for path in made if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in made if path.is_file()} == {0o600}


@pytest.fixture
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of an ordinary user, whom modes bind; the test runs as that user."""
    if os.geteuid() != 0:
        yield tmp_path_factory.mktemp("ordinary")
        return
    nobody = 65534
    folder = Path(tempfile.mkdtemp())
    os.chown(folder, nobody, nobody)
    os.seteuid(nobody)
    try:
        yield folder
    finally:
        os.seteuid(0)
        shutil.rmtree(folder)


def test_folders_that_may_not_be_written_or_read_are_removed_too(ordinary: Path):
    deep = ordinary / "tree/mod/cache"
    deep.mkdir(parents=True)
    (deep / "file").touch()
    elsewhere = ordinary / "elsewhere"
    elsewhere.mkdir(mode=0o555)
    (deep / "link").symlink_to(elsewhere)
    for folder, mode in ((deep, 0o000), (deep.parent, 0o555), (ordinary / "tree", 0o555)):
        folder.chmod(mode)
    remove_tree(ordinary / "tree")
    assert [path.name for path in ordinary.iterdir()] == ["elsewhere"]
    assert elsewhere.stat().st_mode & 0o777 == 0o555


def test_what_cannot_be_removed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    (tmp_path / "tree").mkdir()

    def busy(*_: object, **__: object) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(files.os, "rmdir", busy)
    remove_tree(tmp_path / "tree")
    (record,) = caplog.records
    assert record.error == f"{tmp_path}/tree: Device or resource busy"

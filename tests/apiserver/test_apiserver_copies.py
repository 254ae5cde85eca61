"""Copies of a store: whole, private, as of one moment; and stores of an older format."""

import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.serving import BOUND_S, server_environment

from shoal.apiserver.log import Log
from shoal.apiserver.storecopy import FileTaken, copy, restore, survey
from shoal.apiserver.storefile import (
    FORMAT,
    Record,
    StoreBusy,
    StoreDamaged,
    StoreNewer,
    StoreUnwritable,
)

MAPS = "/api/v1/namespaces/default/configmaps"
RECORDS = [
    Record(1, "things", "ns", "a", False, b'{"first":1}'),
    Record(2, "things", "ns", "b", False, b'{"other":"\xc3\xa9"}'),
    Record(3, "things", "ns", "a", False, b'{"second":2}'),
    Record(4, "things", "", "c", False, b"{}"),
    Record(5, "things", "", "c", True, b"{}"),
]


@pytest.fixture
def store(tmp_path):
    """A closed store with two objects at version 5."""
    path = tmp_path / "store.db"
    log = Log(path)
    log.append(RECORDS, (), 0)
    log.close()
    return path


@pytest.fixture
def old_store(tmp_path):
    """The same as the first format had it."""
    path = tmp_path / "old" / "store.db"
    path.parent.mkdir()
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE log (revision INTEGER PRIMARY KEY, resource TEXT NOT NULL,"
        " namespace TEXT NOT NULL, name TEXT NOT NULL, deleted INTEGER NOT NULL,"
        " data BLOB NOT NULL);"
        "CREATE TABLE compaction (only_row INTEGER PRIMARY KEY CHECK (only_row = 1),"
        " revision INTEGER); INSERT INTO compaction VALUES (1, 0);"
        "PRAGMA application_id = 0x53484F41; PRAGMA user_version = 1;"
    )
    with database:
        database.executemany("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)", RECORDS)
    database.execute("PRAGMA journal_mode = WAL")
    database.close()
    return path


def records(path):
    log = Log(path)
    try:
        return list(log.records())
    finally:
        log.close()


def shoal(home, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "shoal", *arguments],
        env=server_environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=BOUND_S,
    )


def flip(path, what):
    """Change one bit inside a row's content: SQLite's own check does not see it."""
    content = bytearray(path.read_bytes())
    content[content.index(what) + 2] ^= 1
    path.write_bytes(content)


def test_a_copy_of_a_box_that_is_written_to_is_of_one_moment(start_server, tmp_path):
    box = start_server(tmp_path / "box")
    box.api.create("/api/v1/namespaces", {"metadata": {"name": "default"}})
    versions, stop = [], threading.Event()

    def write():
        for number in itertools.count():
            if stop.is_set():
                return
            made = box.api.create(MAPS, {"metadata": {"name": f"m{number}"}})
            versions.append(int(made["metadata"]["resourceVersion"]))

    writer = threading.Thread(target=write)
    writer.start()
    target = tmp_path / "copy"
    while len(versions) < 50:
        pass
    acknowledged = versions[-1]
    done = shoal(box.home, "backup", str(target))
    stop.set()
    writer.join()
    assert done.returncode == 0, done.stderr
    held = survey(target)
    assert acknowledged <= held.revision <= versions[-1]
    shutil.copy(target, tmp_path / "store.db")
    kept = [r.revision for r in records(tmp_path / "store.db") if r.resource == "configmaps"]
    assert kept == [version for version in versions if version <= held.revision]


def test_a_copy_is_private_and_never_takes_the_place_of_a_file(store, tmp_path):
    target = tmp_path / "copy"
    assert copy(store, target) == survey(target) == (FORMAT, 2, 5)
    assert target.stat().st_mode & 0o777 == 0o600
    target.write_bytes(b"mine")
    with pytest.raises(FileTaken, match="is there already; name another file"):
        copy(store, target)
    assert target.read_bytes() == b"mine"
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        copy(store, tmp_path / "nowhere" / "copy")
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".new")]


def test_what_was_copied_comes_back_and_versions_given_out_since_never_do(store, tmp_path):
    copy(store, tmp_path / "copy")
    again = tmp_path / "again.db"
    assert restore(tmp_path / "copy", again) == (FORMAT, 2, 5)
    assert survey(again).objects == 2
    assert survey(again).revision > 1_000_000
    assert records(again) == RECORDS


def test_what_ran_on_the_nodes_of_a_backup_is_told_as_lost(tmp_path):
    def pod(name, phase, node="box1", **metadata):
        main = {"name": "main", "ready": True, "started": True, "state": {"running": {}}}
        ready = [{"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "True"}]
        status = {"phase": phase, "conditions": ready, "containerStatuses": [main]}
        spec = {"nodeName": node} if node else {}
        return "pods", "ns", name, {"metadata": metadata, "spec": spec, "status": status}

    written = [
        ("nodes", "", "box1", {}),
        ("leases.coordination.k8s.io", "kube-node-lease", "box1", {}),
        ("leases.coordination.k8s.io", "ns", "mine", {}),
        ("resourceslices.resource.k8s.io", "", "box1-gpu", {}),
        ("nodeuses.shoal.dev", "", "box1", {}),
        pod("ran", "Running"),
        pod("ended", "Succeeded"),
        pod("waits", "Pending", node=""),
        pod("leaving", "Running", deletionTimestamp="2026-01-01T00:00:00Z"),
    ]
    log = Log(tmp_path / "store.db")
    rows = [(*one[:3], False, json.dumps(one[3]).encode()) for one in written]
    log.append([Record(number, *row) for number, row in enumerate(rows, 1)], (), 0)
    log.close()
    copy(tmp_path / "store.db", tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "again.db")
    latest = {record.name: record for record in records(tmp_path / "again.db")}
    kept = {(record.resource, name) for name, record in latest.items() if not record.deleted}
    left = [("leases.coordination.k8s.io", "mine")]
    assert kept == {*left, ("pods", "ran"), ("pods", "ended"), ("pods", "waits")}
    assert latest["ended"].data == rows[6][-1]
    assert latest["waits"].data == rows[7][-1]
    lost = json.loads(latest["ran"].data)["status"]
    assert (lost["phase"], lost["reason"]) == ("Failed", "NodeLost")
    assert [one["status"] for one in lost["conditions"]] == ["False", "True"]
    assert "restored from a backup" in lost["message"]
    assert (lost["containerStatuses"][0]["ready"], survey(tmp_path / "again.db").objects) == (
        False,
        4,
    )


def test_a_row_that_changed_on_the_disk_is_found(store, tmp_path):
    copy(store, tmp_path / "copy")
    flip(tmp_path / "copy", b"second")
    with pytest.raises(StoreDamaged, match="row 3 is not what was written"):
        restore(tmp_path / "copy", tmp_path / "again.db")
    assert not (tmp_path / "again.db").exists()
    flip(store, b"second")
    with pytest.raises(StoreDamaged, match="row 3 is not what was written"):
        copy(store, tmp_path / "other")
    assert not (tmp_path / "other").exists()
    with pytest.raises(StoreDamaged, match="row 3"):
        records(store)
    store.parent.chmod(0o700)
    told = shoal(store.parent, "doctor")
    assert told.returncode == 1
    assert "is damaged (row 3 is not what was written)" in told.stdout


def test_only_an_empty_home_takes_a_backup(store, tmp_path):
    copy(store, tmp_path / "copy")
    full, empty = tmp_path / "full", tmp_path / "empty"
    full.mkdir()
    (full / "token").write_text("t")
    done = shoal(full, "restore", str(tmp_path / "copy"))
    assert (done.returncode, list(full.iterdir())) == (2, [full / "token"])
    assert "is not empty (it holds token)" in done.stderr
    assert shoal(empty, "restore", str(tmp_path / "copy")).returncode == 0
    assert records(empty / "store.db") == RECORDS
    assert shoal(empty, "restore", str(tmp_path / "copy")).returncode == 2


@pytest.mark.parametrize("wrong", ["missing", "garbage", "newer", "flipped", "cut"])
def test_a_file_that_is_no_whole_backup_leaves_the_home_as_it_was(store, tmp_path, wrong):
    file = tmp_path / "copy"
    copy(store, file)
    match wrong:
        case "missing":
            file.unlink()
        case "garbage":
            file.write_bytes(b"no database" * 1000)
        case "newer":
            with sqlite3.connect(file) as database:
                database.execute("PRAGMA user_version = 99")
        case "flipped":
            flip(file, b"second")
        case "cut":
            os.truncate(file, 4096)
    done = shoal(tmp_path / "home", "restore", str(file))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("wrong", ["text", "empty", "foreign"])
def test_what_shoal_did_not_write_is_no_backup(tmp_path, wrong):
    file = tmp_path / "file"
    file.write_bytes(b"# Read me\n" * 200 if wrong == "text" else b"")
    if wrong == "foreign":
        with sqlite3.connect(file) as database:
            database.execute("CREATE TABLE log (revision INTEGER)")
    done = shoal(tmp_path / "home", "restore", str(file))
    told = f"shoal: {file} is not a backup of shoal; name the file that shoal backup wrote\n"
    assert (done.returncode, done.stderr) == (2, told)


def test_a_damaged_backup_is_not_told_as_a_store(store, tmp_path):
    copy(store, tmp_path / "copy")
    flip(tmp_path / "copy", b"second")
    done = shoal(tmp_path / "home", "restore", str(tmp_path / "copy"))
    assert "is damaged (row 3 is not what was written); name another backup" in done.stderr


def test_a_folder_is_told_as_one_by_restore_and_backup(store, tmp_path):
    done = shoal(tmp_path / "home", "restore", str(tmp_path))
    assert (done.returncode, done.stderr) == (
        2,
        f"shoal: {tmp_path} is a folder; name the file that shoal backup wrote\n",
    )
    with pytest.raises(FileTaken, match="is a folder; name a file in it"):
        copy(store, tmp_path)


def test_a_device_is_no_file_for_a_backup(store):
    with pytest.raises(FileTaken, match="/dev/full is not a regular file; name a new one"):
        copy(store, Path("/dev/full"))


def test_a_restored_box_serves_what_the_backup_held(start_server, tmp_path):
    box = start_server(tmp_path / "box")
    box.api.create("/api/v1/namespaces", {"metadata": {"name": "default"}})
    made = box.api.create(MAPS, {"metadata": {"name": "kept"}, "data": {"k": "v"}})
    assert shoal(box.home, "backup", str(tmp_path / "copy")).returncode == 0
    box.api.create(MAPS, {"metadata": {"name": "after"}})
    assert shoal(tmp_path / "again", "restore", str(tmp_path / "copy")).returncode == 0
    again = start_server(tmp_path / "again").api
    assert again.get(MAPS)["items"] == [made]
    assert again.token != box.api.token
    with again.watch(MAPS, resourceVersion=made["metadata"]["resourceVersion"]) as events:
        assert next(events)["object"]["code"] == 410


def test_an_older_store_is_brought_up_to_date_and_kept_beside(old_store):
    assert survey(old_store) == (1, 2, 5)
    assert records(old_store) == RECORDS
    assert survey(old_store) == (FORMAT, 2, 5)
    kept = old_store.with_name("store.db.format-1")
    assert survey(kept) == (1, 2, 5)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert sqlite3.connect(old_store).execute("PRAGMA auto_vacuum").fetchone() == (2,)


def test_an_older_backup_is_taken_and_brought_up_to_date_by_the_start(old_store, tmp_path):
    copy(old_store, tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "again.db")
    assert records(tmp_path / "again.db") == RECORDS


_DIES = """
import os, signal, sys
from pathlib import Path
from shoal.apiserver import migrate

class Dying:
    def __init__(self, real): self.real = real
    def __getattr__(self, name): return getattr(self.real, name)
    def step(self, do, *given):
        global left
        left -= 1
        if left == 0: os.kill(os.getpid(), signal.SIGKILL)
        return do(*given)
    def execute(self, *given): return self.step(self.real.execute, *given)
    def executescript(self, text):
        for statement in text.split(";"): self.step(self.real.execute, statement)
    def create_function(self, name, count, do, **options):
        self.real.create_function(name, count, lambda *row: self.step(do, *row), **options)

left = int(sys.argv[2])
real = migrate.STEPS[1]
migrate.STEPS = {1: lambda database: real(Dying(database))}
migrate.migrate(Path(sys.argv[1]), 1)
"""


@pytest.mark.parametrize("at", range(1, 15))
def test_a_migration_that_is_killed_leaves_the_old_store_or_the_new(old_store, at):
    done = subprocess.run(
        [sys.executable, "-c", _DIES, str(old_store), str(at)], check=False, timeout=BOUND_S
    )
    assert done.returncode == (-signal.SIGKILL if at <= 13 else 0)
    assert survey(old_store) == ((1 if at <= 12 else FORMAT), 2, 5)
    assert records(old_store) == RECORDS


def test_a_store_of_a_newer_format_is_neither_copied_nor_changed(store, tmp_path):
    with sqlite3.connect(store) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreNewer, match="newer shoal"):
        copy(store, tmp_path / "copy")


def test_looking_at_a_store_leaves_nothing_that_a_fresh_one_would_trip_over(store):
    survey(store)
    store.unlink()
    assert records(store) == []


def test_a_store_has_one_server(store):
    log = Log(store)
    with pytest.raises(StoreBusy, match="another API server"):
        Log(store)
    log.close()
    assert records(store) == RECORDS

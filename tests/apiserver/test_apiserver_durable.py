"""What was acknowledged is kept: across a kill, a restart, a full disk, and bad files."""

import http.client
import itertools
import shutil
import sqlite3
import subprocess
import threading

import pytest
from tests.serving import BOUND_S, server_command, server_environment

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture
def box(start_server, tmp_path):
    """A server on a home of its own, with a namespace."""
    server = start_server(tmp_path / "box")
    server.api.create("/api/v1/namespaces", {"metadata": {"name": "default"}})
    return server


def names(api):
    return {item["metadata"]["name"] for item in api.get(MAPS)["items"]}


def test_every_acknowledged_write_survives_a_kill_in_the_middle(box, start_server):
    acknowledged: list[str] = []
    enough = threading.Event()

    def write(worker):
        for number in itertools.count():
            name = f"w{worker}-{number}"
            try:
                status, _ = box.api.call("POST", MAPS, {"metadata": {"name": name}})
            except (OSError, http.client.HTTPException):
                return
            assert status == 201
            acknowledged.append(name)
            if len(acknowledged) >= 200:
                enough.set()

    workers = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for worker in workers:
        worker.start()
    assert enough.wait(60)
    box.kill()
    for worker in workers:
        worker.join()
    again = start_server(box.home)
    kept = names(again.api)
    assert set(acknowledged) <= kept
    assert len(kept) <= len(acknowledged) + len(workers)


def test_versions_go_on_and_watches_resume_across_a_restart(box, start_server):
    first = box.api.create(MAPS, {"metadata": {"name": "a"}})
    box.api.create(MAPS, {"metadata": {"name": "b"}})
    box.api.call("DELETE", f"{MAPS}/a")
    assert box.stop()[0] == 0
    again = start_server(box.home).api
    assert (again.token, names(again)) == (box.api.token, {"b"})
    last = again.create(MAPS, {"metadata": {"name": "c"}})
    seen = first["metadata"]["resourceVersion"]
    assert int(last["metadata"]["resourceVersion"]) > int(seen)
    with again.watch(MAPS, resourceVersion=seen) as events:
        told = [(e["type"], e["object"]["metadata"]["name"]) for e in itertools.islice(events, 3)]
    assert told == [("ADDED", "b"), ("DELETED", "a"), ("ADDED", "c")]


def test_a_watch_ends_when_the_server_stops(box):
    with box.api.watch(MAPS, resourceVersion="0") as events:
        box.process.terminate()
        assert list(events) == []
    assert box.stop()[0] == 0


def refused(home):
    done = subprocess.run(
        server_command(),
        env=server_environment(home),
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_store_of_a_newer_version_is_left_alone(box):
    box.stop()
    store = box.home / "store.db"
    database = sqlite3.connect(store)
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = store.read_bytes()
    assert "newer shoal" in refused(box.home)
    assert store.read_bytes() == before


@pytest.mark.parametrize("damage", [b"this is no database at all" * 100, None])
def test_a_damaged_store_is_left_alone(box, damage):
    for number in range(50):
        box.api.create(MAPS, {"metadata": {"name": f"m{number}"}, "data": {"k": "x" * 500}})
    box.stop()
    store = box.home / "store.db"
    content = store.read_bytes()
    store.write_bytes(damage or content[:8192] + b"\xff" * 8192 + content[16384:])
    before = store.read_bytes()
    assert "is damaged" in refused(box.home)
    assert store.read_bytes() == before


def test_an_empty_store_is_a_damaged_one_and_no_fresh_one(box):
    box.stop()
    store = box.home / "store.db"
    store.write_bytes(b"")
    assert "is damaged (it is no store of shoal)" in refused(box.home)
    assert store.read_bytes() == b""


@pytest.mark.parametrize(
    "lost", ["DROP TABLE log", "DROP TABLE compaction", "DELETE FROM compaction"]
)
def test_a_store_that_has_lost_a_table_is_damaged(box, lost):
    box.stop()
    store = box.home / "store.db"
    database = sqlite3.connect(store)
    with database:
        database.execute(lost)
    database.close()
    before = store.read_bytes()
    assert "is damaged" in refused(box.home)
    assert store.read_bytes() == before


def test_a_folder_in_the_place_of_the_store_is_told_as_one(tmp_path):
    (tmp_path / "box" / "store.db").mkdir(parents=True)
    assert "store.db is a folder, not a store" in refused(tmp_path / "box")


def test_a_log_that_is_left_of_a_store_is_not_taken_for_part_of_a_fresh_one(box):
    box.kill()
    (box.home / "store.db").unlink()
    left = (box.home / "store.db-wal").read_bytes()
    assert "store.db-wal is left of it" in refused(box.home)
    assert (box.home / "store.db-wal").read_bytes() == left
    assert not (box.home / "store.db").exists()


@pytest.mark.parametrize("name", ["tls/ca.crt", "tls/server.crt", "tls/server.key", "token"])
def test_a_damaged_secret_is_named_with_the_remedy_and_left_alone(box, name):
    box.stop()
    file = box.home / name
    file.write_bytes(b"\xff\x00 no secret")
    said = refused(box.home)
    remove = box.home / name.partition("/")[0]
    assert f"{file} is damaged; remove {remove} to have it made anew" in said
    assert file.read_bytes() == b"\xff\x00 no secret"
    file.unlink()
    file.mkdir()
    assert f"{file} cannot be read (Is a directory); remove {remove}" in refused(box.home)


def test_what_the_remedy_says_helps(box, start_server):
    box.stop()
    (box.home / "tls" / "server.key").write_bytes(b"")
    assert f"remove {box.home / 'tls'}" in refused(box.home)
    shutil.rmtree(box.home / "tls")
    assert start_server(box.home).api.get("/version")


def test_a_kubeconfig_that_cannot_be_written_is_one_sentence(box):
    box.stop()
    (box.home / "kubeconfig").unlink()
    (box.home / "kubeconfig").mkdir()
    assert "kubeconfig cannot be written (Is a directory)" in refused(box.home)

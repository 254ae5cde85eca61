"""The store by itself: group commit, lost commits, the window of history."""

import asyncio
import contextlib
import sqlite3
import threading

import pytest

from shoal.apiserver.history import Bounds, Key
from shoal.apiserver.log import Log
from shoal.apiserver.store import Store
from shoal.dialect.status import StatusError


class GatedLog(Log):
    """A log whose commits wait for the test, and fail when it says so."""

    def __init__(self, path):
        super().__init__(path)
        self.gate = threading.Event()
        self.gate.set()
        self.full = False
        self.batches = []

    def append(self, records, drop, compacted):
        assert self.gate.wait(30)
        if self.full and records:
            raise sqlite3.OperationalError("database or disk is full")
        super().append(records, drop, compacted)
        self.batches.append(len(records))


@pytest.fixture
async def open_store(tmp_path):
    """Opens the same store again and again; what is open is closed at the end."""
    with contextlib.ExitStack() as opened:

        def opener(**bounds):
            opened.close()
            log = GatedLog(tmp_path / "store.db")
            store = Store(log, Bounds(**bounds))
            store.start()
            opened.callback(store.stop)
            return store, log

        yield opener


def key(name):
    return Key("things", "ns", name)


def thing(name, **data):
    return {"metadata": {"name": name}, "data": data}


def present(store):
    return [found.name for found, _ in store.present("things")]


async def test_readers_see_only_what_is_durable_and_writers_what_is_coming(open_store):
    store, log = open_store()
    log.gate.clear()
    writing = store.put(key("a"), thing("a"))
    assert store.get(key("a")) is None
    assert store.newest(key("a")) is not None
    log.gate.set()
    entry = await writing
    assert store.get(key("a")) is entry
    assert entry.revision == store.revision


async def test_writes_that_wait_together_are_committed_together(open_store):
    store, log = open_store()
    log.gate.clear()
    writes = [store.put(key(f"n{number}"), thing("x")) for number in range(20)]
    log.gate.set()
    await asyncio.gather(*writes)
    assert sum(log.batches) == 20
    assert len(log.batches) <= 2


async def test_a_lost_commit_loses_what_was_built_on_it_and_nothing_else(open_store):
    store, log = open_store()
    await store.put(key("kept"), thing("kept"))
    log.gate.clear()
    log.full = True
    first = store.put(key("a"), thing("a"))
    second = store.put(key("a"), thing("a", k="v"))
    deletion = store.remove(key("kept"), thing("kept"))
    log.gate.set()
    for lost in (first, second, deletion):
        with pytest.raises(StatusError, match="nothing was changed") as refusal:
            await lost
        assert refusal.value.code == 507
    assert present(store) == ["kept"]
    assert store.newest(key("a")) is None
    log.full = False
    await store.put(key("b"), thing("b"))
    assert present(store) == ["b", "kept"]
    again, _ = open_store()
    assert present(again) == ["b", "kept"]


async def test_too_many_waiting_writes_are_refused(open_store, monkeypatch):
    monkeypatch.setattr("shoal.apiserver.store._MOST_WAITING", 3)
    store, log = open_store()
    log.gate.clear()
    writes = [store.put(key(f"n{number}"), thing("x")) for number in range(3)]
    with pytest.raises(StatusError) as refusal:
        store.put(key("more"), thing("x"))
    assert refusal.value.code == 429
    log.gate.set()
    await asyncio.gather(*writes)


async def test_the_past_is_rebuilt_from_history(open_store):
    store, _ = open_store()
    await store.put(key("a"), thing("a", k="old"))
    then = (await store.put(key("b"), thing("b"))).revision
    await store.put(key("a"), thing("a", k="new"))
    await store.remove(key("b"), thing("b"))
    await store.put(key("c"), thing("c"))
    past = store.past("things", "ns", then)
    assert [found.name for found, _ in past] == ["a", "b"]
    assert b'"old"' in past[0][1].raw
    assert present(store) == ["a", "c"]


async def test_the_window_is_bounded_and_its_rows_go_with_it(open_store, tmp_path):
    store, _ = open_store(events=10)
    for number in range(30):
        await store.put(key("a"), thing("a", k=str(number)))
    await store.put(key("b"), thing("b"))
    await store.remove(key("b"), thing("b"))
    for number in range(20):
        await store.put(key("a"), thing("a", k=str(-number)))
    assert store.history.compacted == store.revision - 10
    assert len(store.history.since("things", 0)) == 10
    version = store.revision
    store, _ = open_store(events=10)
    assert (present(store), store.revision) == (["a"], version)
    rows = sqlite3.connect(tmp_path / "store.db").execute("SELECT count(*) FROM log").fetchone()
    assert rows[0] <= 12


async def test_commits_wake_who_watches_that_resource(open_store):
    store, _ = open_store()
    woken = []
    store.wake_on("things", lambda: woken.append("things"))
    store.wake_on("others", lambda: woken.append("others"))
    await store.put(key("a"), thing("a"))
    assert woken == ["things"]


async def test_old_history_goes_with_time_and_its_rows_too(open_store):
    store, _ = open_store(seconds=600)
    first = (await store.put(key("a"), thing("a"))).revision
    await store.put(key("a"), thing("a", k="v"))
    now = asyncio.get_running_loop().time()
    store.history.age(now + 599, store.revision)
    assert store.history.begins("others") == 0
    store.history.age(now + 2000, store.revision)
    store.history.trim()
    assert store.history.since("things", 0) == []
    assert store.history.begins("others") == store.revision > first
    store, _ = open_store()
    assert present(store) == ["a"]


async def test_versions_never_go_back_though_the_last_write_was_a_deletion_long_ago(open_store):
    store, _ = open_store(events=0)
    await store.put(key("a"), thing("a"))
    last = (await store.remove(key("a"), thing("a"))).revision
    again, _ = open_store(events=0)
    assert (again.revision, present(again)) == (last, [])


async def test_churn_leaves_a_small_file_and_room_is_given_back(open_store, tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.apiserver.writer._IDLE_S", 0.01)
    store, _ = open_store(events=100)
    big = "x" * 4000
    for number in range(3000):
        await store.put(key(f"n{number % 3}"), thing("x", k=big))
    await asyncio.gather(*(store.put(key(f"m{n}"), thing("x", k=big)) for n in range(2000)))
    await asyncio.gather(*(store.remove(key(f"m{n}"), thing("x")) for n in range(2000)))
    await asyncio.gather(*(store.put(key("last"), thing("x")) for _ in range(101)))

    def is_small():
        return (tmp_path / "store.db").stat().st_size < 4 * 1024 * 1024

    async with asyncio.timeout(30):
        while not is_small():  # noqa: ASYNC110 - another thread makes it so
            await asyncio.sleep(0.01)
    assert (tmp_path / "store.db-wal").stat().st_size <= 8 * 1024 * 1024

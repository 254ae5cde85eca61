"""An acknowledgement follows the sync: whatever the disk kept beyond it, no acknowledged write
is missing after a loss of power.

The server's writes and syncs are recorded in order with what its clients were told, and the
record is cut at many points.
"""

import json
import os
import random
import subprocess
import threading

import pytest
from tests.apiserver.conftest import Api
from tests.power.disk import ACKNOWLEDGED, Disk, Recorder
from tests.serving import BOUND_S, server_command, server_environment

from shoal.apiserver.log import Log

MAPS = "/api/v1/namespaces/default/configmaps"
SLOW_SYNC_US = 3000
MODES = ("none", "some", "torn", "all")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Two lives of an API server: creates, changes and deletions by four clients, then an end
    in order, and the same again ended by force.
    """
    folder = tmp_path_factory.mktemp("power")
    home = folder / "home"
    recorder = Recorder(folder, home)
    for life in range(2):
        _live(recorder, home, life)
    return list(recorder.entries())


def _live(recorder, home, life):
    process = subprocess.Popen(
        [*server_command(), "--history-seconds", "1"],
        env=server_environment(home) | recorder.environment(SLOW_SYNC_US),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline().startswith("ready")
        api = Api(home)
        if life == 0:
            api.create("/api/v1/namespaces", {"metadata": {"name": "default"}})
        clients = [
            threading.Thread(target=_write, args=(recorder, api, f"l{life}w{number}"))
            for number in range(4)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        process.terminate() if life == 0 else process.kill()
    finally:
        process.kill() if process.poll() is None and life else None
        process.communicate(timeout=BOUND_S)


def _write(recorder, api, prefix):
    for number in range(60):
        name = f"{prefix}-{number}"
        made = api.create(MAPS, {"metadata": {"name": name}, "data": {"k": "x" * 3000}})
        _told(recorder, made)
        if number % 3 == 1:
            status, changed = api.patch(f"{MAPS}/{name}", {"data": {"k": "y" * 3000}})
            assert status == 200
            _told(recorder, changed)
        if number % 3 == 2:
            status, _ = api.call("DELETE", f"{MAPS}/{name}")
            assert status == 200
            recorder.acknowledged(json.dumps([name, 0]).encode())


def _told(recorder, document):
    told = [document["metadata"]["name"], int(document["metadata"]["resourceVersion"])]
    recorder.acknowledged(json.dumps(told).encode())


def _missing(folder, acknowledged):
    """Names whose acknowledged version, or deletion (0), the store in the folder lacks."""
    log = Log(folder / "store.db")
    try:
        latest = {r.name: r for r in log.records() if r.resource == "configmaps"}
    finally:
        log.close()
    return {name for name, version in acknowledged.items() if _lacks(latest.get(name), version)}


def _lacks(record, version):
    if not version:
        return record is not None and not record.deleted
    return record is None or record.revision < version


def _cuts(entries, count, chance):
    """Places to cut at: after acknowledgements, and between any other two operations."""
    told = [at + 1 for at, entry in enumerate(entries) if entry.kind == ACKNOWLEDGED]
    anywhere = range(1, len(entries) + 1)
    return sorted({*chance.sample(told, count), *chance.sample(anywhere, count), len(entries)})


def _replay(entries, cuts, folder, chance, modes=MODES):
    """Yields what is missing after a loss of power at each cut."""
    disk, acknowledged, done = Disk(), {}, 0
    for cut in cuts:
        for entry in entries[done:cut]:
            if entry.kind == ACKNOWLEDGED:
                name, revision = json.loads(entry.data)
                acknowledged[name] = revision
            else:
                disk.do(entry)
        done = cut
        for mode in modes:
            place = folder / f"{cut}-{mode}"
            place.mkdir()
            disk.write(place, chance, mode)
            yield cut, mode, _missing(place, acknowledged)


def test_no_acknowledged_write_is_lost_with_the_power(recorded, tmp_path):
    seed = int(os.environ.get("POWER_SEED", "1"))
    chance = random.Random(seed)
    kinds = [entry.kind for entry in recorded]
    assert kinds.count(ACKNOWLEDGED) == 2 * 4 * 100
    assert {"W", "S", "T", "C", "R", "U"} <= set(kinds)
    cuts = _cuts(recorded, 40, chance)
    lost = [found for found in _replay(recorded, cuts, tmp_path, chance) if found[2]]
    assert not lost, f"seed {seed}"


def test_the_proof_would_notice_a_missing_sync(recorded, tmp_path):
    first = next(at for at, entry in enumerate(recorded) if entry.kind == ACKNOWLEDGED)
    later = [entry for entry in recorded[first:] if entry.kind != "S"]
    entries = recorded[:first] + later
    [found] = _replay(entries, [first + len(later) // 3], tmp_path, random.Random(1), ("none",))
    assert len(found[2]) > 50

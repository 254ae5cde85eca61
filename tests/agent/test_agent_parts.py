"""Small parts: what is told of ends, stops, the node and its use."""

import asyncio
import errno
import os
import platform
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agent.box import BOOT, Box

from shoal import __version__
from shoal.agent.ending import Loss, Started, ended
from shoal.agent.environment import expand
from shoal.agent.machine import Machine, node_name
from shoal.agent.node import LABEL_SIMULATED, register_node
from shoal.agent.nodeuse import NodeUses
from shoal.agent.record import (
    Record,
    RecordError,
    RecordState,
    Stage,
    create_record,
    lock_record,
    read_record,
)
from shoal.agent.slices import publish_cards
from shoal.agent.stopping import StopAskedError, Stopping, StopReason
from shoal.api.kinds import NODES, RESOURCE_SLICES
from shoal.api.node import CGROUP_LIMITS, CONTAINER_RUNTIME
from shoal.api.nodeuse import HeldClaim, NodeUse, NodeUseStatus

STARTED = Started(program="./train", folder="/work", memory_bytes=4 << 30)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"exit_code": 0}, (0, 0, "Completed", "")),
        ({"exit_code": 3}, (3, 0, "Error", "")),
        ({"exit_code": 143, "signal": 15}, (143, 15, "Error", "")),
        ({"exit_code": 137, "signal": 9, "oom_kills": 1},
         (137, 9, "OOMKilled", "out of memory: 4.0 GiB limit")),
        ({"exit_code": 3, "oom_kills": 1},
         (3, 0, "OOMKilled", "a process of it was killed: out of memory: 4.0 GiB limit; "
          "it then exited with 3")),
        ({"exit_code": 139, "signal": 11, "oom_kills": 1},
         (139, 11, "OOMKilled", "a process of it was killed: out of memory: 4.0 GiB limit; "
          "it then was killed by signal 11 (segmentation fault)")),
        ({"exit_code": 0, "oom_kills": 1}, (0, 0, "Completed", "")),
    ],
)  # fmt: skip
def test_an_exit_is_told(record, told):
    end = ended(Record(RecordState.EXITED, BOOT, **record), STARTED, BOOT)
    assert (end.exit_code, end.signal, end.reason, end.message) == told


@pytest.mark.parametrize(
    ("stage", "error", "told"),
    [
        (Stage.EXEC, errno.ENOENT, (127, "command not found: ./train")),
        (Stage.EXEC, errno.EACCES, (126, "not executable: ./train")),
        (Stage.EXEC, errno.ENOEXEC, (126, "not executable: ./train")),
        (Stage.EXEC, errno.E2BIG, (128, "./train cannot be started: Argument list too long")),
        (Stage.CHDIR, errno.ENOENT, (128, "folder gone: /work")),
        (Stage.CHDIR, errno.EACCES, (128, "folder not readable: /work")),
        (Stage.FORK, errno.EAGAIN,
         (128, "no process could be made for it: Resource temporarily unavailable")),
    ],
)  # fmt: skip
def test_a_start_that_failed_is_told(stage, error, told):
    end = ended(Record(RecordState.START_FAILED, BOOT, stage=stage, error=error), STARTED, BOOT)
    assert (end.exit_code, end.message) == told
    assert end.reason == "StartError"


def test_a_script_whose_interpreter_is_missing_is_not_a_missing_command(tmp_path: Path):
    (tmp_path / "train").touch()
    record = Record(RecordState.START_FAILED, BOOT, stage=Stage.EXEC, error=errno.ENOENT)
    end = ended(record, Started("./train", str(tmp_path)), BOOT)
    assert end.message == "interpreter not found: the one that ./train names"


def test_a_lost_program_is_told_by_the_boot_that_it_belongs_to():
    lost = Record(RecordState.LOST, BOOT, created_ns=5)
    assert ended(lost, STARTED, BOOT).loss is Loss.KEEPER_KILLED
    rebooted = ended(lost, STARTED, "another")
    assert (rebooted.loss, rebooted.message) == (Loss.NODE_REBOOTED, "node rebooted")
    assert not rebooted.good


counts = st.integers(0, 2**31 - 1)


@given(
    state=st.sampled_from(RecordState), exit_code=counts, oom_kills=counts, ended_ns=counts,
    stage=st.sampled_from(Stage), stop_asked=st.booleans(),
)  # fmt: skip
def test_a_record_reads_back_as_written(tmp_path_factory, **fields):
    path = tmp_path_factory.mktemp("records") / "0.record"
    record = Record(boot_id=BOOT, **fields)
    fd = create_record(path, record)
    assert read_record(path) == record
    assert path.stat().st_size == 512
    assert lock_record(path) is None
    os.close(fd)


def test_a_record_is_made_only_once(tmp_path: Path):
    path = tmp_path / "0.record"
    create_record(path, Record(RecordState.PREPARED, BOOT))
    with pytest.raises(FileExistsError):
        create_record(path, Record(RecordState.PREPARED, BOOT))


def test_a_damaged_record_is_found(tmp_path: Path):
    path = tmp_path / "0.record"
    create_record(path, Record(RecordState.EXITED, BOOT, exit_code=1))
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    with pytest.raises(RecordError, match=r"0\.record"):
        read_record(path)


async def test_the_first_reason_to_stop_stays_and_the_shorter_grace_counts():
    stop = Stopping()
    stop.ask(StopReason.DELETED, 1000)
    assert 0 < stop.left_s <= 1000
    waiting = asyncio.ensure_future(stop.sooner(stop.left_s))
    await asyncio.sleep(0)
    assert not waiting.done()
    stop.ask(StopReason.GONE, 0)
    await asyncio.wait_for(waiting, 60)
    stop.ask(StopReason.DELETED, 1000)
    assert stop.left_s == 0
    assert stop.why is StopReason.DELETED


async def test_waiting_is_cut_short_by_a_stop_and_its_work_is_cancelled():
    stop, cancelled = Stopping(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    waiting = asyncio.ensure_future(stop.unless(work()))
    await asyncio.sleep(0)
    stop.ask(StopReason.DELETED, 0)
    with pytest.raises(StopAskedError):
        await waiting
    assert cancelled.is_set()


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("$(A) and $(B)", "1 and $(B)"),
        ("$$(A) $$", "$(A) $"),
        ("$A $( $() $(A", "$A $( $() $(A"),
    ],
)
def test_references_are_replaced_where_they_are_known(text, result):
    assert expand(text, {"A": "1"}) == result


@pytest.mark.parametrize(
    ("host", "name"),
    [("Box1", "box1"), ("my_gpu box.lan", "my-gpu-box.lan"), ("--", "box"), ("x" * 80, "x" * 63)],
)
def test_a_host_name_becomes_an_objects_name(host, name):
    assert node_name(host) == name


class SlowServer:
    """Takes NodeUse writes one at a time and counts them; ``gate`` holds them up."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.writes: list[set[str]] = []

    async def create(self, kind, obj):
        return None

    async def get(self, kind, name):
        return NodeUse(status=NodeUseStatus(boot_id=BOOT))

    async def replace(self, kind, obj, *, subresource):
        await self.gate.wait()
        self.writes.append({claim["uid"] for claim in obj["status"]["held"]})
        return NodeUse()


async def test_what_many_pods_hold_shares_a_write():
    server = SlowServer()
    uses = NodeUses(server, "box", BOOT)
    server.gate.set()
    await uses.load({})
    server.gate.clear()
    holding = [
        asyncio.ensure_future(uses.hold(f"pod-{i}", [HeldClaim(uid=f"c{i}")])) for i in range(50)
    ]
    await asyncio.sleep(0)
    assert not any(task.done() for task in holding)
    server.gate.set()
    await asyncio.gather(*holding)
    assert server.writes[-1] == {f"c{i}" for i in range(50)}
    assert len(server.writes) <= 3


async def test_a_claim_that_two_pods_share_is_held_until_both_have_let_go():
    server = SlowServer()
    server.gate.set()
    uses = NodeUses(server, "box", BOOT)
    await uses.load({"a": [HeldClaim(uid="c")], "b": [HeldClaim(uid="c")]})
    await uses.drop("a")
    assert server.writes[-1] == {"c"}
    await uses.drop("b")
    assert server.writes[-1] == set()


async def test_the_node_says_what_it_is_and_what_it_cannot_do(box: Box):
    node = await box.client.get(NODES, box.node)
    conditions = {c.type: (c.status, c.message) for c in node.status.conditions}
    assert conditions["Ready"][0] == "True"
    assert conditions[CONTAINER_RUNTIME] == (
        "False", "this machine has no container runtime; use image: host",
    )  # fmt: skip
    assert CGROUP_LIMITS in conditions
    assert node.status.capacity == {"cpu": "4", "memory": "16Gi", "pods": "1k"}
    assert node.status.node_info.boot_id == BOOT
    assert node.metadata.labels["kubernetes.io/hostname"] == box.node
    info = (await box.client.get_raw(NODES, box.node))["status"]["nodeInfo"]
    assert info["kubeletVersion"] == f"v{__version__}+shoal"
    assert info["kernelVersion"] == platform.release()
    assert (info["containerRuntimeVersion"], bool(info["osImage"])) == ("none", True)


async def test_a_node_is_labelled_as_long_as_all_its_cards_are_simulated(box: Box):
    async def labelled_with(cards):
        machine = Machine(box.node, BOOT, 4000, 16384)
        node = await register_node(box.client, machine, cards, "")
        return node.metadata.labels.get(LABEL_SIMULATED)

    real = msgspec.structs.replace(box.cards[0], simulated=False)
    assert await labelled_with(box.cards) == "true"
    assert await labelled_with([real, box.cards[1]]) is None


async def test_the_slice_lists_the_cards_and_is_written_only_when_they_change(box: Box):
    name = f"{box.node}-gpu.shoal.dev"
    first = await box.client.get(RESOURCE_SLICES, name)
    assert [d.name for d in first.spec.devices] == ["gpu-0", "gpu-1"]
    device = first.spec.devices[0]
    assert device.attributes["uuid"].string == box.cards[0].uuid
    assert (device.attributes["model"].string, device.attributes["simulated"].boolean) == (
        "A100-80GB", True,
    )  # fmt: skip
    assert device.capacity["memory"].value == "80Gi"
    assert device.capacity["compute"].value == "1k"
    node = await box.client.get(NODES, box.node)
    await publish_cards(box.client, node, box.cards)
    same = await box.client.get(RESOURCE_SLICES, name)
    assert same.metadata.resource_version == first.metadata.resource_version
    await publish_cards(box.client, node, box.cards[:1])
    fewer = await box.client.get(RESOURCE_SLICES, name)
    assert [d.name for d in fewer.spec.devices] == ["gpu-0"]
    assert fewer.spec.pool.generation == first.spec.pool.generation + 1

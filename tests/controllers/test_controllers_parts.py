"""The parts that controllers are made of, without a server."""

import asyncio

import msgspec
import pytest

from shoal.api.claim import Allocation, ClaimStatus, ResourceClaim
from shoal.api.kinds import PODS
from shoal.api.meta import ObjectMeta, OwnerReference
from shoal.api.pod import Pod
from shoal.api.run import RunPhase, RunStatus
from shoal.controllers.loop import together, work
from shoal.controllers.owned import Owned, keep_allocation
from shoal.controllers.pace import Turns
from shoal.controllers.runview import StoredRun, read_run
from shoal.controllers.timeline import entry_for
from shoal.controllers.unseen import PATIENCE_S, Unseen
from shoal.kube.errors import ApiError
from shoal.kube.pace import Pace
from shoal.kube.reflector import Delta
from shoal.kube.workqueue import WorkQueue


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Copy:
    """What the reflectors show."""

    def __init__(self) -> None:
        self.objects = {}
        self.clock = Clock()
        self.unseen = Unseen(lambda _, namespace, name: self.objects.get(name), self.clock)


def pod(name: str, version: int, uid: str = "u") -> Pod:
    metadata = ObjectMeta(name=name, namespace="ns", uid=uid, resource_version=str(version))
    return Pod(metadata=metadata)


def test_a_write_is_unseen_until_the_copy_is_as_new():
    copy = Copy()
    copy.unseen.wrote("key", PODS, pod("a", 9))
    assert not copy.unseen.settled("key")
    copy.objects["a"] = pod("a", 8)
    assert not copy.unseen.settled("key")
    copy.objects["a"] = pod("a", 10)
    assert copy.unseen.settled("key")


def test_a_deletion_is_unseen_until_the_copy_shows_it():
    copy = Copy()
    copy.objects["a"] = pod("a", 9)
    copy.unseen.deleted("key", PODS, "ns", "a", "u")
    assert not copy.unseen.settled("key")
    copy.objects["a"].metadata.deletion_timestamp = "2026-01-01T00:00:00Z"
    assert copy.unseen.settled("key")


def test_a_name_used_again_shows_that_the_old_object_is_gone():
    copy = Copy()
    copy.unseen.deleted("key", PODS, "ns", "a", "u")
    copy.objects["a"] = pod("a", 12, uid="another")
    assert copy.unseen.settled("key")


def test_a_write_that_never_comes_back_is_given_up_in_the_end():
    copy = Copy()
    copy.unseen.wrote("key", PODS, pod("a", 9))
    copy.clock.now += PATIENCE_S / 2
    assert not copy.unseen.settled("key")
    copy.clock.now += PATIENCE_S
    assert copy.unseen.settled("key")


def test_a_pace_lets_a_burst_pass_and_then_its_rate():
    clock = Clock()
    pace = Pace(rate=10, burst=2, clock=clock)
    assert [pace.take() for _ in range(4)] == pytest.approx([0, 0, 0.1, 0.2])
    clock.now += 10
    assert [pace.take() for _ in range(3)] == pytest.approx([0, 0, 0.1])


async def test_a_turn_comes_once_and_is_used_up():
    called = asyncio.Queue()
    turns = Turns(Pace(rate=1000, burst=10), called.put_nowait)
    assert not turns.take("a")
    assert not turns.take("a")
    giver = asyncio.create_task(turns.run())
    assert await called.get() == "a"
    assert called.empty()
    assert turns.take("a")
    assert not turns.take("a")
    giver.cancel()


def test_the_cards_of_a_claim_are_remembered_when_it_is_cleared():
    owner = OwnerReference(kind="Run", name="r", uid="run", controller=True)
    metadata = ObjectMeta(name="c", namespace="ns", uid="u", owner_references=[owner])
    held = ResourceClaim(metadata=metadata, status=ClaimStatus(allocation=Allocation()))
    cleared = ResourceClaim(metadata=metadata)
    claims = Owned(keep_allocation)
    claims.note(Delta(None, held))
    claims.note(Delta(held, cleared))
    assert claims.of("run")[0].status.allocation is not None
    assert cleared.status.allocation is None
    claims.note(Delta(cleared, None))
    assert claims.of("run") == ()


def test_objects_that_nobody_controls_are_not_indexed():
    owner = OwnerReference(kind="Run", name="r", uid="run")
    lone = Pod(metadata=ObjectMeta(name="p", owner_references=[owner]))
    pods = Owned()
    assert pods.note(Delta(None, lone)) is None
    assert pods.of("run") == ()


def test_a_malformed_run_is_read_with_a_sentence():
    stored = StoredRun(spec=msgspec.Raw(b'{"run": "true", "gpus": "1"}'))
    run, malformed = read_run(stored)
    assert "gpus" in malformed
    assert run.spec.run == ""


def test_a_status_that_is_none_is_written_anew():
    stored = StoredRun(
        spec=msgspec.Raw(b'{"run": "true"}'), status=msgspec.Raw(b'{"phase": "Odd"}')
    )
    run, malformed = read_run(stored)
    assert (run.status, malformed) == (RunStatus(), "")


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (RunStatus(), RunStatus(), None),
        (RunStatus(), RunStatus(message="busy", reason="CardsBusy"), "Queued"),
        (RunStatus(reason="CardsBusy"), RunStatus(message="still", reason="CpuBusy"), None),
        (RunStatus(), RunStatus(phase=RunPhase.RUNNING), "Running"),
        (RunStatus(phase=RunPhase.RUNNING), RunStatus(attempt=1), "Restarted"),
        (RunStatus(phase=RunPhase.RUNNING), RunStatus(phase=RunPhase.SUCCEEDED), "Succeeded"),
    ],
)
def test_a_story_tells_what_people_care_for(before, after, reason):
    entry = entry_for(before, after)
    assert (entry.reason if entry is not None else None) == reason


async def test_calls_side_by_side_raise_the_servers_error():
    async def refuse():
        raise ApiError(403, "Forbidden", "no")

    async def answer():
        return 1

    assert await together([answer, answer]) == [1, 1]
    with pytest.raises(ApiError, match="no"):
        await together([answer, refuse])


async def test_a_key_that_makes_a_controller_stumble_stops_no_other():
    queue = WorkQueue()
    done = asyncio.Event()

    async def handle(key):
        if key == "bad":
            raise ValueError("nobody thought of this")
        done.set()

    queue.add("bad")
    queue.add("good")
    worker = asyncio.create_task(work(queue, handle, workers=1))
    async with asyncio.timeout(10):
        await done.wait()
    worker.cancel()

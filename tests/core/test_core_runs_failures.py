"""Which failure people see, and in which words."""

import pytest
from runs_world import SECOND, START, World

from shoal.api.meta import Condition
from shoal.api.run import Limits, Retry, RetryCause, RunPhase
from shoal.units.instant import format_instant


def running(**spec) -> World:
    world = World(**spec).settle()
    world.launch(*range(world.run.spec.replicas))
    return world.settle()


def at(seconds: int) -> str:
    return format_instant(START + seconds * SECOND)


def test_when_a_replica_dies_the_others_are_ended_and_the_run_fails_with_it():
    world = running(replicas=3)
    world.exit(1, 7)
    world.settle()
    assert [world.asked(rank) for rank in (0, 2)] == [True, True]
    assert world.run.status.phase is RunPhase.RUNNING
    assert world.run.status.message == "replica 1 exited with 7; ending the others"
    world.exit(0, 143, reason="DeadlineExceeded", signal=15)
    world.exit(2, 137, reason="DeadlineExceeded", signal=9)
    status = world.settle().run.status
    assert (status.phase, status.message) == (RunPhase.FAILED, "replica 1 exited with 7")
    assert status.failure.rank == 1


def test_a_replica_without_a_node_is_taken_back_when_another_dies():
    world = World(replicas=2).settle()
    world.bind(0)
    world.settle()
    world.exit(0, 7)
    world.settle()
    assert list(world.pods) == ["digits-0"]
    assert world.run.status.phase is RunPhase.FAILED


def test_a_death_that_is_told_later_but_happened_earlier_is_the_failure():
    world = running(replicas=2)
    world.exit(1, 1, finished_at=at(5))
    world.settle()
    world.exit(0, 7, finished_at=at(4))
    assert world.settle().run.status.message == "replica 0 exited with 7"


def test_a_kill_that_happened_before_the_ending_is_not_taken_for_it():
    world = running(replicas=2)
    world.exit(1, 1, finished_at=at(5))
    world.settle()
    assert world.asked(0)
    world.exit(0, 137, signal=9, finished_at=at(4))
    assert world.settle().run.status.message == "replica 0 was killed by signal 9"


def test_a_stop_that_kills_is_not_a_failure():
    world = running(replicas=2)
    world.stop()
    world.settle()
    world.exit(0, 137, signal=9)
    world.exit(1, 143, signal=15)
    status = world.settle().run.status
    assert (status.phase, status.failure) == (RunPhase.STOPPED, None)


SAVES = "; retry: {max: 1, on: [evicted]} would have started it again"


def evicted(reason: str, message: str, **spec: object) -> World:
    """A run with a pod that is just ending, since somebody made it leave its node."""
    world = running(**spec)
    metadata = world.pod().metadata
    metadata.deletion_timestamp, metadata.deletion_grace_period_seconds = at(31), 30
    world.pod().status.conditions.append(Condition("DisruptionTarget", "True", reason, message))
    world.exit(0, 143, signal=15, finished_at=at(2))
    world.now += 5 * SECOND
    return world.settle()


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("EvictionByEvictionAPI", "pod digits-0 was evicted, as kubectl drain does"),
        ("DeletionByTaintManager", "pod digits-0 was evicted: box1 is tainted a:NoExecute"),
    ],
)
def test_an_evicted_pod_says_who_made_it_leave_and_what_would_have_saved_it(reason, told):
    world = evicted(reason, "box1 is tainted a:NoExecute")
    assert world.run.status.message == f"{told}{SAVES}"
    retry = Retry(max=2, on=[RetryCause.ERROR])
    assert evicted(reason, "box1 is tainted a:NoExecute", retry=retry).run.status.phase == "Failed"


def test_an_evicted_pod_is_a_cause_of_its_own():
    world = evicted("EvictionByEvictionAPI", "", retry=Retry(max=1, on=[RetryCause.EVICTED]))
    told = "retry 1 of 1 after 1s: pod digits-0 was evicted, as kubectl drain does"
    assert world.run.status.message == told


def test_a_deleted_pod_is_a_failure():
    world = running(replicas=2)
    world.delete_pod(0)
    world.settle()
    assert world.asked(1)
    world.exit(1, 143, reason="DeadlineExceeded", signal=15)
    assert world.settle().run.status.message == f"pod digits-0 was deleted{SAVES}"


def test_a_pod_that_is_being_deleted_is_a_failure_from_when_it_was_asked_for():
    world = running(replicas=2)
    metadata = world.pod(0).metadata
    metadata.deletion_timestamp, metadata.deletion_grace_period_seconds = at(31), 30
    world.exit(0, 143, signal=15, finished_at=at(2))
    world.now += 5 * SECOND
    world.settle()
    assert world.run.status.failure.message == f"pod digits-0 was deleted{SAVES}"
    assert world.run.status.failure.finished_at == at(1)


def test_a_pod_deleted_while_stopping_is_no_failure():
    world = running()
    world.stop()
    world.settle()
    world.delete_pod()
    assert world.settle().run.status.phase is RunPhase.STOPPED


def test_a_pod_deleted_before_it_had_a_node_is_made_again():
    world = World().settle()
    world.delete_pod()
    world.settle()
    assert world.made == ["Pod digits-0", "Pod digits-0"]
    assert world.run.status.phase is RunPhase.QUEUED


def test_a_pod_whose_deadline_somebody_else_shortened_is_told_as_stopped():
    world = running()
    world.pod().spec.active_deadline_seconds = 1
    world.exit(0, 143, reason="DeadlineExceeded", signal=15)
    status = world.settle().run.status
    assert (status.phase, status.message) == (RunPhase.FAILED, "replica 0 was stopped")


@pytest.mark.parametrize(
    ("replicas", "end", "words"),
    [
        (1, {"code": 7}, "replica 0 exited with 7"),
        (1, {"code": 139, "signal": 11}, "replica 0 was killed by signal 11 (segmentation fault)"),
        (
            1,
            {"code": 137, "signal": 9, "oom": True},
            "replica 0 was killed by signal 9 (out of memory: 4.0 GiB limit)",
        ),
        (
            1,
            {"code": 3, "oom": True},
            "replica 0 exited with 3 after a process of it was killed (out of memory: "
            "4.0 GiB limit)",
        ),
        (1, {"code": 127, "start": "command not found: foo"}, "command not found: foo"),
        (2, {"code": 127, "start": "command not found: foo"}, "replica 0: command not found: foo"),
        (
            2,
            {"code": 143, "signal": 15, "reason": "DeadlineExceeded"},
            "replica 0 was stopped: time limit 12h",
        ),
        (1, {"code": 137, "reason": "NodeRebooted"}, "node box1 rebooted"),
        (1, {"code": 137, "reason": "KeeperKilled"}, "replica 0 was killed with its keeper"),
    ],
)
def test_failures_are_told_in_words(replicas, end, words):
    world = running(replicas=replicas, memory="4Gi", limits=Limits(time="12h"))
    oom, start = end.pop("oom", False), end.pop("start", "")
    world.exit(0, message=start, **end)
    terminated = world.pod(0).status.container_statuses[0].state.terminated
    terminated.reason = "OOMKilled" if oom else "StartError" if start else "Error"
    world.settle()
    assert world.run.status.failure.message == words


def test_a_pod_that_the_agent_cannot_start_is_told_in_the_agents_words():
    world = World().settle()
    world.bind()
    world.settle()
    world.fail(0, "InvalidCode", "folder gone: /data/digits")
    assert world.settle().run.status.message == "folder gone: /data/digits"


def test_a_container_that_was_never_started_is_no_start_of_the_run_and_no_cause_to_retry():
    world = World(retry=Retry(max=3)).settle()
    world.bind()
    world.settle()
    world.exit(0, 128, reason="InvalidCode", message="folder gone: /data/digits")
    world.pod(0).status.container_statuses[0].state.terminated.reason = "StartError"
    status = world.settle().run.status
    assert (status.phase, status.started_at, status.restarts) == (RunPhase.FAILED, None, 0)
    assert status.message == "folder gone: /data/digits"

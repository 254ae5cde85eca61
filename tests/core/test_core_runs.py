"""What a run does when the world goes its way."""

import pytest
from msgspec.structs import replace
from runs_world import SECOND, START, World

from shoal.api.claim import (
    Allocation,
    AllocationResult,
    ClaimStatus,
    DeviceAllocation,
    share_config,
)
from shoal.api.meta import find_condition
from shoal.api.run import Limits, Retry, RetryCause, RunPhase
from shoal.core.runs import InvalidTransition, name_taken, refused
from shoal.units.gpu import parse_share
from shoal.units.instant import format_instant


def running(**spec) -> World:
    """A run whose replicas all run."""
    world = World(**spec).settle()
    world.launch(*range(world.run.spec.replicas))
    return world.settle()


def allocate(world: World, rank: int, card: str) -> None:
    name = world.pod(rank).metadata.name
    result = AllocationResult(request="gpu", driver="gpu.shoal.dev", pool="box1", device=card)
    status = ClaimStatus(allocation=Allocation(DeviceAllocation([result])))
    world.claims[name] = replace(world.claims[name], status=status)


def test_a_new_run_gets_a_pod_and_is_queued():
    world = World().settle()
    assert world.made == ["Pod digits-0"]
    assert world.run.status.phase is RunPhase.QUEUED


def test_a_run_that_asks_for_cards_gets_a_claim_that_carries_the_share_as_asked():
    world = World(gpu="A100:1/2").settle()
    assert world.made == ["ResourceClaim digits-0", "Pod digits-0"]
    assert share_config(world.claims["digits-0"]).share == parse_share("A100:1/2")
    assert world.pod().spec.resource_claims[0].resource_claim_name == "digits-0"


def test_replicas_are_made_as_one_gang():
    world = World(replicas=2, gpu="1/4", pack=True).settle()
    assert world.made[0] == "Gang digits"
    assert world.gangs["digits"].spec.members == 2
    assert world.gangs["digits"].spec.pack
    assert {pod.metadata.labels["shoal.dev/gang"] for pod in world.pods.values()} == {"digits"}
    assert [pod.metadata.labels["shoal.dev/rank"] for pod in world.pods.values()] == ["0", "1"]


def test_a_shell_line_runs_in_a_shell_and_a_list_as_it_is():
    line = World(run="echo hi").settle().pod().spec.containers[0].command
    assert line == ["/bin/sh", "-c", "echo hi"]
    assert World(run=["echo", "hi"]).settle().pod().spec.containers[0].command == ["echo", "hi"]


def test_dollars_come_through_the_expansion_that_a_pod_does():
    line = World(run="kill $$; echo $(HOME)").settle().pod().spec.containers[0].command
    assert line[2] == "kill $$$$; echo $$(HOME)"


def test_the_time_limit_is_the_pods_deadline():
    limited = World(limits=Limits(time="12h")).settle()
    assert limited.pod().spec.active_deadline_seconds == 12 * 3600
    assert World().settle().pod().spec.active_deadline_seconds is None


def test_a_queued_run_says_what_the_scheduler_says():
    world = World().settle()
    world.unschedulable("CpuBusy", "needs 8 cpu; 4 are free")
    status = world.settle().run.status
    assert (status.reason, status.message) == ("CpuBusy", "needs 8 cpu; 4 are free")
    assert find_condition(status.conditions, "Placed").message == "needs 8 cpu; 4 are free"


def test_a_run_moves_from_queued_over_starting_to_running():
    world = World(replicas=2).settle()
    world.bind(0)
    assert world.settle().run.status.phase is RunPhase.QUEUED
    world.bind(1)
    assert world.settle().run.status.phase is RunPhase.STARTING
    world.start(0)
    assert world.settle().run.status.phase is RunPhase.STARTING
    world.start(1)
    assert world.settle().run.status.phase is RunPhase.RUNNING


def test_a_run_whose_first_replica_is_done_still_runs():
    world = running(replicas=2)
    world.exit(0)
    assert world.settle().run.status.phase is RunPhase.RUNNING
    world.exit(1)
    assert world.settle().run.status.phase is RunPhase.SUCCEEDED


def test_what_a_starting_run_waits_for_is_the_agents_to_say():
    world = World().settle()
    world.bind()
    world.wait("RankPortMissing", "rank 0 has no port yet")
    assert world.settle().run.status.message == "replica 0: rank 0 has no port yet"


def test_times_are_those_of_the_programs():
    world = World().settle()
    world.bind()
    world.settle()
    world.now += 3 * SECOND
    world.start()
    world.settle()
    assert world.run.status.started_at == format_instant(START + 3 * SECOND)
    world.exit(finished_at=format_instant(START + 5 * SECOND))
    world.now += 60 * SECOND
    assert world.settle().run.status.finished_at == format_instant(START + 5 * SECOND)


def test_places_stay_known_when_the_claims_are_gone():
    world = World(gpu="1").settle()
    world.bind()
    allocate(world, 0, "gpu-3")
    world.start()
    world.settle()
    world.exit()
    world.settle()
    assert not world.claims
    place = world.run.status.replicas[0]
    assert (place.node, place.cards) == ("box1", ["gpu-3"])


def test_an_ended_run_keeps_its_pods_and_gives_back_claims_and_gang():
    world = running(replicas=2, gpu="1/4")
    world.exit(0)
    world.exit(1)
    world.settle()
    assert (len(world.pods), world.claims, world.gangs) == (2, {}, {})


def test_a_queued_run_that_is_stopped_takes_its_pods_back():
    world = World(replicas=2, gpu="1").settle()
    world.stop()
    world.settle()
    status = world.run.status
    assert (status.phase, status.message) == (RunPhase.STOPPED, "stopped before it started")
    assert (world.pods, world.claims, world.gangs) == ({}, {}, {})


def test_a_stopped_run_ends_its_programs_and_waits_for_them():
    world = running()
    world.stop()
    world.settle()
    assert world.asked()
    assert world.run.status.phase is RunPhase.RUNNING
    world.exit(code=143, signal=15, reason="DeadlineExceeded")
    status = world.settle().run.status
    assert (status.phase, status.failure, status.message) == (RunPhase.STOPPED, None, "")


def test_a_run_that_succeeds_while_it_is_stopped_has_succeeded():
    world = running()
    world.stop()
    world.exit()
    assert world.settle().run.status.phase is RunPhase.SUCCEEDED


def test_a_failure_before_the_stop_is_still_what_happened():
    world = running()
    world.exit(code=7)
    world.stop()
    status = world.settle().run.status
    assert (status.phase, status.message) == (RunPhase.FAILED, "replica 0 exited with 7")


def test_a_run_past_its_time_limit_has_timed_out():
    world = running(limits=Limits(time="12h"))
    world.exit(code=143, signal=15, reason="DeadlineExceeded")
    status = world.settle().run.status
    assert (status.phase, status.message) == (RunPhase.TIMED_OUT, "time limit 12h")
    assert status.failure.message == "replica 0 was stopped: time limit 12h"


def test_a_failed_run_is_tried_again_with_fresh_objects():
    world = running(gpu="1/2", retry=Retry(max=2))
    world.exit(code=7)
    world.settle()
    status = world.run.status
    assert (status.phase, status.attempt, status.restarts) == (RunPhase.QUEUED, 1, 1)
    assert status.message == "retry 1 of 2 after 1s: replica 0 exited with 7"
    assert world.made[2:] == []
    world.rest(1)
    assert world.made[2:] == ["ResourceClaim digits-0-r1", "Pod digits-0-r1"]
    world.launch()
    world.settle()
    world.exit()
    status = world.settle().run.status
    assert (status.phase, status.failure) == (RunPhase.SUCCEEDED, None)


def test_a_run_is_not_tried_again_for_another_cause():
    world = running(retry=Retry(max=3, on=[RetryCause.NODE_LOST]))
    world.exit(code=7)
    assert world.settle().run.status.phase is RunPhase.FAILED


def test_a_rebooted_node_is_a_cause_of_its_own():
    world = running(retry=Retry(max=3, on=[RetryCause.NODE_LOST]))
    world.fail(0, "NodeRebooted")
    world.settle()
    assert world.run.status.message == "retry 1 of 3 after 1s: node box1 rebooted"


def test_a_node_that_was_lost_is_the_same_cause():
    world = running(retry=Retry(max=3, on=[RetryCause.NODE_LOST]))
    world.fail(0, "NodeLost", "the box was restored")
    world.settle()
    told = "retry 1 of 3 after 1s: replica 0 was lost: the box was restored"
    assert world.run.status.message == told


def test_what_cannot_start_is_not_tried_again():
    world = World(retry=Retry(max=3)).settle()
    world.bind()
    world.exit(code=127, reason="", message="command not found: foo")
    world.pods["digits-0"].status.container_statuses[0].state.terminated.reason = "StartError"
    assert world.settle().run.status.phase is RunPhase.FAILED


def test_pods_of_the_latest_three_attempts_are_kept():
    world = World(retry=Retry(max=5)).settle()
    for pause in (0, 1, 2, 4, 8):
        world.rest(pause)
        world.launch()
        world.settle()
        world.exit(code=1)
        world.settle()
    assert world.run.status.message == "retry 5 of 5 after 16s: replica 0 exited with 1"
    world.rest(15)
    assert "digits-0-r5" not in world.pods
    world.rest(1)
    assert sorted(world.pods) == ["digits-0-r3", "digits-0-r4", "digits-0-r5"]


def test_a_pause_is_looked_at_again_when_it_is_over_and_a_clock_set_back_ends_it():
    world = running(retry=Retry(max=1))
    world.exit(code=1)
    world.settle()
    assert world.look().wake_at == world.now + 1000
    world.rest(-3600)
    assert world.pod().metadata.name == "digits-0-r1"


def test_a_run_may_be_stopped_while_it_rests():
    world = running(retry=Retry(max=1))
    world.exit(code=1)
    world.settle()
    world.stop()
    assert world.settle().run.status.phase is RunPhase.STOPPED


def test_a_pod_that_turns_up_after_the_end_is_ended_too():
    world = running()
    stray = world.pod()
    world.exit()
    world.settle()
    world.pods["digits-0"] = stray
    world.settle()
    assert world.asked()


def test_a_run_that_is_being_deleted_is_left_alone():
    world = World()
    world.run.metadata.deletion_timestamp = "2026-01-01T00:00:00Z"
    assert world.look().actions == ()


def test_a_malformed_run_fails_with_a_sentence():
    status = World(gpu="3/2").settle().run.status
    assert status.phase is RunPhase.FAILED
    assert status.message.startswith("spec.gpu: 3/2: a part of a card is at most 1")


def test_a_silent_scheduler_is_told_of_after_a_while():
    world = World().settle()
    world.now = world.look().wake_at
    world.settle()
    assert world.run.status.message.startswith("the scheduler has not answered for 30s")


def test_a_silent_agent_is_told_of_after_a_while():
    world = World(replicas=2).settle()
    world.bind(0, 1)
    world.settle()
    world.start(0)
    world.settle()
    world.now = world.look().wake_at
    assert world.settle().run.status.message.startswith("box1 has not started replica 1 for 30s")


def test_an_agent_that_does_not_end_a_replica_is_told_of_after_a_while():
    world = running()
    world.stop()
    world.settle()
    world.now = world.look().wake_at
    told = world.settle().run.status.message
    assert told == "box1 has not ended replica 0 yet, whose cards stay held"


def test_a_refused_object_fails_the_run_with_the_servers_words():
    world = World()
    plan = world.look()
    world.run = replace(world.run, status=refused(plan, "digits-0", "no such class", world.now))
    status = world.settle().run.status
    assert status.phase is RunPhase.FAILED
    assert status.message == "digits-0 cannot be made: no such class"


def test_a_taken_name_is_waited_for():
    world = World()
    plan = world.look()
    status = name_taken(plan, plan.actions[0].kind, "digits-0")
    assert (status.phase, status.reason) == (RunPhase.QUEUED, "NameTaken")


def test_facts_that_contradict_the_status_are_told_with_the_whole_story():
    world = running()
    world.wait("Odd", "back to the start")
    with pytest.raises(InvalidTransition) as caught:
        world.look()
    assert "cannot go from Running to Starting" in str(caught.value)
    assert "digits-0 is placed box1" in caught.value.story
    assert any("Started True" in line for line in caught.value.story)


def test_a_run_on_a_silent_node_is_unknown_until_something_is_heard_of_it() -> None:
    world = World(replicas=2, gpu="1")
    world.settle()
    world.bind(0)
    world.bind(1, node="box2")
    world.start(0, 1)
    world.settle()
    world.silent.add("box2")
    status = world.settle().run.status
    assert (status.phase, status.reason) == (RunPhase.UNKNOWN, "NodeUnknown")
    assert status.message == "nothing is heard of box2; it may go on, and keeps its cards"
    assert not world.look().actions
    world.silent.clear()
    status = world.settle().run.status
    assert (status.phase, status.message) == (RunPhase.RUNNING, "")


def test_what_ended_on_a_silent_node_before_is_known() -> None:
    world = World()
    world.settle()
    world.launch(0)
    world.settle()
    world.exit(0, 0)
    world.silent.add("box1")
    assert world.settle().run.status.phase is RunPhase.SUCCEEDED

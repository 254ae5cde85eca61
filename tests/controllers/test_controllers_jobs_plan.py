"""What a job does about its pods, decided without a server."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.controllers.jobs_world import World

from shoal.api.job import (
    ConditionPattern,
    ExitCodes,
    FailurePolicy,
    FailureRule,
    SuccessPolicy,
    SuccessRule,
    Uncounted,
)
from shoal.controllers.builtin.jobs.indexes import format_indexes, parse_indexes


def test_a_job_makes_as_many_pods_as_may_run_at_once():
    world = World(parallelism=2, completions=3).settle()
    assert len(world.running()) == 2
    status = world.job.status
    assert (status.active, status.ready, status.terminating) == (2, 0, 0)
    assert status.start_time == "2023-11-14T22:13:20Z"


def test_pods_that_succeed_are_counted_and_followed_until_enough_have():
    world = World(parallelism=2, completions=3).settle()
    for left in (2, 1, 0):
        world.end(world.running()[0])
        world.settle()
        assert len(world.running()) == left
    assert world.conditions() == [
        ("SuccessCriteriaMet", "CompletionsReached"),
        ("Complete", "CompletionsReached"),
    ]
    status = world.job.status
    assert (status.succeeded, status.failed, status.active) == (3, 0, 0)
    assert status.uncounted_terminated_pods == Uncounted()
    assert status.completion_time is not None
    assert not any(pod.metadata.finalizers for pod in world.pods.values())


def test_a_failed_pod_is_followed_after_a_while_that_doubles():
    world = World(completions=1, backoff_limit=6).settle()
    for wait in (10, 20, 40):
        world.end(world.running()[0], 1)
        world.settle()
        assert not world.rest(wait - 1).running()
        assert len(world.rest(1).running()) == 1
    assert world.job.status.failed == 3


def test_a_success_ends_the_row_of_failures():
    world = World(parallelism=1, completions=5).settle()
    world.end(world.running()[0], 1)
    world.settle().rest(10)
    world.end(world.running()[0])
    world.rest(1)
    world.end(world.running()[0], 1)
    world.settle()
    assert not world.rest(9).running()
    assert world.rest(1).running()


def test_a_job_whose_pods_fail_too_often_fails():
    world = World(completions=1, backoff_limit=1).settle()
    world.end(world.running()[0], 1)
    world.settle().rest(10)
    assert world.conditions() == []
    world.end(world.running()[0], 1)
    world.settle()
    assert world.conditions() == [
        ("FailureTarget", "BackoffLimitExceeded"),
        ("Failed", "BackoffLimitExceeded"),
    ]
    assert world.job.status.failed == 2
    assert world.job.status.completion_time is None


def test_a_job_that_fails_ends_its_other_pods_and_waits_for_them():
    world = World(parallelism=2, completions=2, backoff_limit=0).settle()
    one, other = world.running()
    world.bind(one)
    world.bind(other)
    world.end(one, 1)
    world.settle()
    assert world.conditions() == [("FailureTarget", "BackoffLimitExceeded")]
    assert world.job.status.terminating == 1
    world.gone(other)
    world.settle()
    assert world.conditions()[-1] == ("Failed", "BackoffLimitExceeded")
    assert world.job.status.failed == 2


def test_a_job_past_its_deadline_fails():
    world = World(completions=1, active_deadline_seconds=60).settle()
    assert world.look().wake_in == 60
    assert world.rest(59).conditions() == []
    world.rest(1)
    assert world.conditions()[-1] == ("Failed", "DeadlineExceeded")
    assert not world.running()
    assert world.job.status.failed == 1


def test_a_job_past_its_deadline_counts_the_pods_that_this_ends():
    world = World(parallelism=3, completions=3, active_deadline_seconds=60).settle()
    pods = world.running()
    for pod in pods:
        world.bind(pod)
    world.rest(60)
    assert world.conditions()[-1] == ("FailureTarget", "DeadlineExceeded")
    assert (world.job.status.terminating, world.job.status.failed) == (3, 3)
    for pod in pods:
        world.gone(pod)
    world.settle()
    assert world.conditions()[-1] == ("Failed", "DeadlineExceeded")
    assert (world.job.status.terminating, world.job.status.failed) == (0, 3)


def test_a_suspended_job_gives_its_pods_up_uncounted_and_starts_anew():
    world = World(parallelism=2, completions=2, active_deadline_seconds=60).settle()
    world.patch(suspend=True)
    assert world.running() == []
    assert world.conditions() == [("Suspended", "JobSuspended")]
    assert (world.job.status.active, world.job.status.failed) == (0, 0)
    world.rest(100)
    world.patch(suspend=False)
    assert len(world.running()) == 2
    assert world.conditions() == []
    assert world.look().wake_in == 60


def test_fewer_at_once_gives_up_what_runs_least():
    world = World(parallelism=3, completions=3).settle()
    started = world.running()[1]
    world.bind(started)
    world.patch(parallelism=1)
    assert world.running() == [started]
    assert world.job.status.failed == 0


def test_a_work_queue_is_done_when_one_pod_succeeds_and_the_others_have_ended():
    world = World(parallelism=2).settle()
    one, other = world.running()
    world.end(one)
    world.settle()
    assert world.running() == [other]
    world.end(other)
    world.settle()
    assert world.conditions()[-1][0] == "Complete"
    assert world.job.status.succeeded == 2


def test_a_pod_that_somebody_deletes_counts_as_failed_and_is_replaced():
    world = World(completions=1).settle()
    (name,) = world.running()
    world.delete(name)
    world.rest(10)
    assert world.job.status.failed == 1
    assert len(world.running()) == 1


def test_a_job_that_replaces_only_what_has_failed_waits_for_the_end():
    world = World(completions=1, pod_replacement_policy="Failed").settle()
    (name,) = world.running()
    world.bind(name)
    world.delete(name)
    world.rest(100)
    assert world.running() == []
    world.gone(name)
    world.rest(100)
    assert len(world.running()) == 1


def rule(action: str, *values: int, operator: str = "In") -> FailureRule:
    return FailureRule(action, ExitCodes(operator=operator, values=list(values)))


BY_POLICY = [("FailureTarget", "PodFailurePolicy"), ("Failed", "PodFailurePolicy")]


@pytest.mark.parametrize(
    ("rules", "end", "failed"),
    [
        ([rule("FailJob", 42)], BY_POLICY, 1),
        ([rule("FailJob", 1, 2, operator="NotIn")], BY_POLICY, 1),
        ([rule("Ignore", 42), rule("FailJob", 42)], [], 0),
        ([rule("FailJob", 7)], [], 1),
    ],
)
def test_the_first_rule_that_matches_an_exit_decides(rules, end, failed):
    world = World(completions=1, pod_failure_policy=FailurePolicy(rules)).settle()
    world.end(world.running()[0], 42)
    world.settle()
    assert world.conditions() == end
    assert world.job.status.failed == failed


def test_a_rule_may_look_at_conditions():
    policy = FailurePolicy(
        [FailureRule("Ignore", on_pod_conditions=[ConditionPattern("DisruptionTarget")])]
    )
    world = World(completions=1, backoff_limit=0, pod_failure_policy=policy).settle()
    world.end(world.running()[0], 1)
    world.settle()
    assert world.conditions()[-1] == ("Failed", "BackoffLimitExceeded")


def indexed(**spec) -> World:
    return World(completion_mode="Indexed", **spec).settle()


def test_each_index_has_a_pod_that_knows_its_number():
    world = World(completion_mode="Indexed", completions=3, parallelism=2)
    for at, body in enumerate(world.look().create):
        metadata, spec = body["metadata"], body["spec"]
        assert metadata["generateName"] == f"j-{at}-"
        assert metadata["name"].startswith(f"j-{at}-")
        assert metadata["labels"]["batch.kubernetes.io/job-completion-index"] == str(at)
        assert spec["hostname"] == f"j-{at}"
        assert [v["name"] for v in spec["containers"][0]["env"]] == ["JOB_COMPLETION_INDEX"]
    assert "env" not in world.job.spec.template["spec"]["containers"][0]


def test_an_indexed_job_is_complete_with_its_last_index():
    world = indexed(completions=3, parallelism=3)
    first, second, third = world.running()
    world.end(third)
    world.end(first)
    world.settle()
    assert (world.job.status.completed_indexes, world.job.status.succeeded) == ("0,2", 2)
    world.end(second)
    world.settle()
    assert world.job.status.completed_indexes == "0-2"
    assert world.conditions()[-1][0] == "Complete"


def test_an_index_that_fails_is_tried_again():
    world = indexed(completions=2, parallelism=2)
    world.end(world.running()[0], 1)
    world.settle().rest(10)
    assert [name[:3] for name in world.running()] == ["j-0", "j-1"]


def test_indexes_may_fail_one_by_one():
    world = indexed(
        completions=2, parallelism=2, backoff_limit=2**31 - 1, backoff_limit_per_index=1
    )
    world.end(world.running()[0], 1)
    world.settle().rest(10)
    world.end(world.running()[0], 1)
    world.settle()
    assert world.job.status.failed_indexes == "0"
    assert [name[:3] for name in world.running()] == ["j-1"]
    world.end(world.running()[0])
    world.settle()
    assert world.conditions()[-1] == ("Failed", "FailedIndexes")


def test_more_failed_indexes_than_allowed_fail_the_job():
    world = indexed(
        completions=3,
        parallelism=3,
        backoff_limit=2**31 - 1,
        backoff_limit_per_index=0,
        max_failed_indexes=0,
    )
    world.end(world.running()[1], 1)
    world.settle()
    assert world.conditions()[-1] == ("Failed", "MaxFailedIndexesExceeded")


def test_a_rule_may_fail_its_index_at_once():
    world = indexed(
        completions=2,
        parallelism=2,
        backoff_limit=2**31 - 1,
        backoff_limit_per_index=5,
        pod_failure_policy=FailurePolicy([rule("FailIndex", 9)]),
    )
    world.end(world.running()[0], 9)
    world.rest(1000)
    assert world.job.status.failed_indexes == "0"
    assert [name[:3] for name in world.running()] == ["j-1"]


def test_a_success_policy_ends_a_job_early():
    policy = SuccessPolicy([SuccessRule(succeeded_indexes="0-1", succeeded_count=1)])
    world = indexed(completions=3, parallelism=3, success_policy=policy)
    world.end(world.running()[1])
    world.settle()
    assert world.conditions()[-1] == ("Complete", "SuccessPolicy")
    assert world.running() == []


@given(st.sets(st.integers(0, 60)))
def test_indexes_read_back_as_they_were_written(indexes):
    assert parse_indexes(format_indexes(indexes)) == indexes


@pytest.mark.parametrize(
    ("indexes", "text"), [({}, ""), ({3}, "3"), ({1, 2}, "1,2"), ({0, 1, 2, 5, 7, 8}, "0-2,5,7,8")]
)
def test_indexes_are_written_as_people_know_them(indexes, text):
    assert format_indexes(indexes) == text


def test_what_is_no_index_is_not_read():
    assert parse_indexes("x,1-,-3,2") == {2}


FACTS = st.sampled_from(
    ["advance", "kill", "lag", "succeed", "fail", "bind", "delete", "gone", "wait"]
)
STORY = st.lists(st.tuples(FACTS, st.integers(0, 5)), max_size=60)
SPECS = st.fixed_dictionaries(
    {
        "parallelism": st.integers(0, 3),
        "completions": st.integers(0, 4),
        "backoff_limit": st.integers(0, 3),
        "completion_mode": st.sampled_from(["NonIndexed", "Indexed"]),
        "pod_replacement_policy": st.sampled_from(["TerminatingOrFailed", "Failed"]),
    }
)


def happen(world: World, fact: str, number: int, copies: list) -> None:
    """Let something happen where it can."""
    names = sorted(world.pods)
    name = names[number % len(names)] if names else ""
    if fact == "advance" and not world.job.finished:
        world.advance()
    elif fact == "kill" and not world.job.finished:
        world.advance_until_killed(number)
    elif fact == "lag" and not world.job.finished and copies:
        world.advance_lagging(copies[-1])
    elif fact == "wait":
        world.now += 100 * number
    elif name and fact == "bind":
        world.bind(name)
    elif name and fact == "delete":
        world.delete(name)
    elif name and fact == "gone" and world.pods[name].metadata.deletion_timestamp:
        world.gone(name)
    elif name in world.running() and fact in ("succeed", "fail"):
        world.end(name, 1 if fact == "fail" else 0)


@settings(deadline=None, max_examples=200)
@given(SPECS, STORY)
def test_a_kill_at_any_line_makes_no_pod_too_many_and_counts_none_twice(spec, story):
    world = World(**spec)
    copies: list = []
    for fact, number in story:
        before = dict(world.pods)
        happen(world, fact, number, copies)
        copies.append(before)
        status = world.job.status
        told = status.uncounted_terminated_pods or Uncounted()
        ended = list(world.ended.values())
        assert world.most_active <= spec["parallelism"]
        assert status.succeeded + len(told.succeeded) <= ended.count("Succeeded")
        assert status.failed + len(told.failed) <= len(world.made)
        assert not set(told.succeeded) & set(told.failed)
        assert status.succeeded <= spec["completions"] or spec["completion_mode"] == "NonIndexed"
    assert world.most_active <= spec["parallelism"]


@settings(deadline=None, max_examples=100)
@given(SPECS, STORY)
def test_whatever_happened_a_job_comes_to_its_end(spec, story):
    world = World(**{**spec, "parallelism": max(spec["parallelism"], 1)})
    for fact, number in story:
        happen(world, fact, number, [])
    for _ in range(60):
        world.rest(700)
        if world.job.finished:
            break
        for name in sorted(world.pods):
            if world.pods[name].metadata.deletion_timestamp:
                world.gone(name)
        for name in world.running():
            world.end(name)
    assert world.job.finished
    status = world.job.status
    assert status.uncounted_terminated_pods in (None, Uncounted())
    if status.completion_time is not None:
        assert status.succeeded >= spec["completions"]

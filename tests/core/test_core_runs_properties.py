"""What holds of every run, whatever happens to its pods and in whatever order it is told."""

from hypothesis import given, settings
from hypothesis import strategies as st
from runs_world import SECOND, START, World

from shoal.api.run import Retry, RunPhase
from shoal.units.instant import format_instant

ORDER = list(RunPhase)
FACTS = ("bind", "start", "succeed", "fail", "kill", "reboot", "delete", "stop", "look", "pause")
facts = st.lists(st.tuples(st.sampled_from(FACTS), st.integers(0, 2)), max_size=40)


def happen(world: World, fact: str, rank: int) -> None:
    """Let something happen where it can: pods move forward only, as agents tell them."""
    world.now += SECOND
    rank %= world.run.spec.replicas
    attempt = world.run.status.attempt
    name = f"digits-{rank}" + (f"-r{attempt}" if attempt else "")
    pod = world.pods.get(name)
    if fact == "stop":
        world.stop()
    elif fact == "pause":
        world.now += 3600 * SECOND
    elif fact == "look":
        world.advance()
    elif pod is None or pod.finished:
        return
    elif fact == "delete":
        world.delete_pod(rank)
    elif not pod.spec.node_name:
        if fact == "bind":
            world.bind(rank)
    elif fact == "reboot":
        world.fail(rank, "NodeRebooted")
    elif pod.status.phase == "Pending":
        if fact == "start":
            world.start(rank)
    elif fact in ("succeed", "fail", "kill"):
        end(world, rank, fact)


def end(world: World, rank: int, fact: str) -> None:
    if world.asked(rank):
        world.exit(rank, 143, reason="DeadlineExceeded", signal=15)
    elif fact == "kill":
        world.exit(rank, 137, signal=9)
    else:
        world.exit(rank, 7 if fact == "fail" else 0)


def conclude(world: World) -> None:
    """Let everything that still runs end, and have the run come to its own end."""
    for _ in range(40):
        world.settle()
        if world.run.status.phase.ended:
            return
        for rank in range(world.run.spec.replicas):
            for fact in ("bind", "start", "succeed"):
                happen(world, fact, rank)
    raise AssertionError(f"it never ends: {world.look()}")


@settings(max_examples=300, deadline=None)
@given(
    replicas=st.integers(1, 3), gpu=st.sampled_from(["", "1/2"]), most=st.integers(0, 2), told=facts
)
def test_runs_move_forward_act_once_and_come_to_an_end(replicas, gpu, most, told):
    world = World(replicas=replicas, gpu=gpu, retry=Retry(max=most))
    past = (0, 0)
    for fact, rank in told:
        ended = world.run.status if world.run.status.phase.ended else None
        happen(world, fact, rank)
        if fact != "look":
            continue
        status = world.run.status
        now = (status.attempt, ORDER.index(status.phase))
        assert now >= past, f"{past} then {now}"
        assert ended is None or status == ended
        past = now
    conclude(world)
    status = world.run.status
    assert world.look().actions == ()
    assert status.restarts == status.attempt <= most
    assert (world.claims, world.gangs) == ({}, {})
    assert all(pod.finished for pod in world.pods.values())
    assert len(world.pods) <= 3 * replicas


@settings(max_examples=200, deadline=None)
@given(told=facts)
def test_what_has_been_done_is_not_done_again(told):
    world = World(replicas=2, gpu="1/4", retry=Retry(max=1))
    for fact, rank in told:
        happen(world, fact, rank)
        world.settle()
        assert world.look().actions == ()
        assert world.look().status == world.run.status


@settings(max_examples=200, deadline=None)
@given(
    codes=st.lists(st.integers(0, 3), min_size=2, max_size=4),
    told=st.data(),
)
def test_the_first_failure_is_told_whatever_the_order_in_which_the_facts_arrive(codes, told):
    ranks = range(len(codes))
    times = told.draw(st.permutations(ranks), label="when each replica ended")
    arrivals = told.draw(st.permutations(ranks), label="in which order that is told")
    looks = told.draw(st.lists(st.booleans(), min_size=len(codes), max_size=len(codes)))
    world = World(replicas=len(codes)).settle()
    world.launch(*ranks)
    world.settle()
    world.now += 60 * SECOND
    for rank, look in zip(arrivals, looks, strict=True):
        world.exit(rank, codes[rank], finished_at=format_instant(START + times[rank] * SECOND))
        if look:
            world.settle()
    world.settle()
    failed = [rank for rank in sorted(ranks, key=lambda rank: times[rank]) if codes[rank]]
    status = world.run.status
    if failed:
        assert status.message == f"replica {failed[0]} exited with {codes[failed[0]]}"
    else:
        assert status.phase is RunPhase.SUCCEEDED

"""Jobs against a real API server; the tests play scheduler and agent."""

import asyncio
import contextlib
import itertools
from functools import partial

from shoal.api.job import TRACKING
from shoal.api.kinds import EVENTS, JOBS, PODS
from shoal.controllers.builtin.jobs.pods import free_names
from shoal.controllers.main import run_controllers

TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "host"}]}}


async def pods_of(hand, count):
    """The pods of the job ``j``, once there are so many."""

    async def look():
        pods = (await hand.client.list(PODS, hand.namespace, labels="job-name=j")).items
        return sorted(pods, key=lambda pod: pod.metadata.name) if len(pods) == count else None

    return await hand.until(look)


async def job_where(hand, test):
    """The job ``j``, once it is as told."""

    async def look():
        job = await hand.client.get(JOBS, "j", hand.namespace)
        return job if test(job) else None

    return await hand.until(look)


@contextlib.asynccontextmanager
async def successors(hand):
    """Controllers that take over from others."""
    task = asyncio.create_task(run_controllers(hand.client))
    try:
        yield
    finally:
        await end(task)


async def end(task):
    """Controllers die."""
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def test_a_job_runs_its_pods_and_counts_them(hand):
    await hand.make(JOBS, "j", spec={"template": TEMPLATE, "completions": 2, "parallelism": 2})
    for pod in await pods_of(hand, 2):
        assert pod.metadata.finalizers == [TRACKING]
        await hand.say(pod.metadata.name, phase="Succeeded")
    job = await job_where(hand, lambda job: job.finished)
    assert (job.status.succeeded, job.status.active) == (2, 0)
    assert not any(pod.metadata.finalizers for pod in await pods_of(hand, 2))


async def test_a_job_tells_its_story_in_events(hand):
    await hand.make(JOBS, "j", spec={"template": TEMPLATE, "backoffLimit": 0})
    (pod,) = await pods_of(hand, 1)
    await hand.say(pod.metadata.name, phase="Failed")
    fields = "involvedObject.kind=Job,involvedObject.name=j"

    async def told():
        events = await hand.client.list(EVENTS, hand.namespace, fields=fields)
        return len(events.items) == 2

    await hand.until(told)


async def news(hand, known):
    """The pods that are new."""
    pods = (await hand.client.list(PODS, hand.namespace)).items
    return [pod for pod in pods if pod.metadata.name not in known]


async def test_controllers_that_are_replaced_at_any_time_count_right(hand, controllers):
    """Each successor starts from what the server has; the pods end while nobody looks."""
    await end(controllers)
    await hand.make(JOBS, "j", spec={"template": TEMPLATE, "completions": 6, "parallelism": 3})
    ended = set()
    while len(ended) < 6:
        async with successors(hand):
            await hand.until(partial(news, hand, ended))
        for pod in await news(hand, ended):
            ended.add(pod.metadata.name)
            await hand.say(pod.metadata.name, phase="Succeeded")
    async with successors(hand):
        job = await job_where(hand, lambda job: job.finished)
    assert job.status.succeeded == 6
    assert len((await hand.client.list(PODS, hand.namespace)).items) == 6


async def test_what_a_job_leaves_behind_can_be_deleted(hand):
    await hand.make(JOBS, "j", spec={"template": TEMPLATE})
    (pod,) = await pods_of(hand, 1)
    await hand.client.delete(JOBS, "j", hand.namespace, propagation="Orphan")
    await hand.gone(JOBS, "j")
    await hand.client.delete(PODS, pod.metadata.name, hand.namespace, grace=0)
    await hand.gone(PODS, pod.metadata.name)


async def test_a_finished_job_goes_when_its_time_is_up(hand):
    await hand.make(JOBS, "j", spec={"template": TEMPLATE, "ttlSecondsAfterFinished": 0})
    (pod,) = await pods_of(hand, 1)
    await hand.say(pod.metadata.name, phase="Succeeded")
    await hand.gone(JOBS, "j")
    await hand.gone(PODS, pod.metadata.name)


async def test_a_name_that_another_pod_has_is_left_to_it(hand, controllers):
    await end(controllers)
    job = await hand.make(JOBS, "j", spec={"template": TEMPLATE})
    first, second = itertools.islice(free_names(job, None, ()), 2)
    await hand.make(PODS, first, spec=TEMPLATE["spec"])
    async with successors(hand):
        (pod,) = await pods_of(hand, 1)
    assert pod.metadata.name == second

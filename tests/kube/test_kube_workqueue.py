"""A work queue gives each key once at a time and never loses one."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from shoal.kube.workqueue import WorkQueue


async def test_a_key_added_twice_is_looked_at_once() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    queue.add("b")
    queue.add("a")
    assert [await queue.get(), await queue.get()] == ["a", "b"]


async def test_a_key_added_while_worked_on_comes_back_afterwards() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    key = await queue.get()
    queue.add("a")
    queue.add("b")
    assert await queue.get() == "b", "nobody else may have a key that a worker holds"
    queue.done(key)
    assert await queue.get() == "a"


async def test_a_failed_key_comes_back_by_itself() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add("a")
    queue.done(await queue.get(), failed=True)
    assert await asyncio.wait_for(queue.get(), 10) == "a"


async def test_of_two_wishes_for_later_the_sooner_stands() -> None:
    queue: WorkQueue[str] = WorkQueue()
    queue.add_after("a", 3600)
    queue.add_after("a", 0)
    assert await asyncio.wait_for(queue.get(), 10) == "a"


@given(st.lists(st.tuples(st.sampled_from(["add", "get", "done"]), st.integers(0, 3))))
def test_a_key_is_with_one_worker_and_every_wish_is_served(story: list[tuple[str, int]]) -> None:
    async def play() -> None:
        queue: WorkQueue[int] = WorkQueue()
        owed: set[int] = set()
        held: set[int] = set()
        for action, key in story:
            if action == "add":
                queue.add(key)
                owed.add(key)
            elif action == "get" and owed - held:
                got = await queue.get()
                assert got in owed
                assert got not in held
                owed.discard(got)
                held.add(got)
            elif action == "done" and key in held:
                queue.done(key)
                held.discard(key)
        for key in list(held):
            queue.done(key)
        assert {await queue.get() for _ in range(len(owed))} == owed

    asyncio.run(play())

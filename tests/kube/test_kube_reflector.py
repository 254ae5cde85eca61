"""A reflector's copy follows the server through breaks, forgotten versions and re-creation."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from shoal.api.kinds import NAMESPACES
from shoal.api.meta import Object, ObjectMeta
from shoal.kube.errors import ApiError
from shoal.kube.reflector import Delta, Reflector
from shoal.kube.wire import Listing, ListMeta, WatchEvent


def thing(name: str, version: int, uid: str = "") -> Object:
    return Object(
        metadata=ObjectMeta(name=name, resource_version=str(version), uid=uid or f"u-{name}")
    )


class ScriptedClient:
    """Answers lists and watches from a script; at its end a watch stays open and quiet."""

    def __init__(self, lists: list[list[Object]], watches: list[list[Any]]) -> None:
        self.lists = lists
        self.watches = watches
        self.asked: list[str] = []
        self.done = asyncio.Event()

    async def list(self, *_: object, **__: object) -> Listing[Object]:
        items = self.lists.pop(0)
        newest = max((int(i.metadata.resource_version) for i in items), default=0)
        return Listing(items, ListMeta(resource_version=str(newest)))

    async def watch(
        self, *_: object, resource_version: str, **__: object
    ) -> AsyncIterator[WatchEvent[Object]]:
        self.asked.append(resource_version)
        if not self.watches:
            self.done.set()
            await asyncio.Event().wait()
        for step in self.watches.pop(0):
            if isinstance(step, ApiError):
                raise step
            yield step


async def follow(
    client: ScriptedClient, *, passing: bool = False
) -> tuple[Reflector[Object], list[Delta[Object]]]:
    deltas: list[Delta[Object]] = []
    reflector = Reflector(
        client,  # type: ignore[arg-type]
        NAMESPACES,
        on_delta=deltas.append,
        passing=passing,
    )
    task = asyncio.create_task(reflector.run())
    await asyncio.wait_for(client.done.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return reflector, deltas


def names(reflector: Reflector[Object]) -> set[str]:
    return {item.metadata.name for item in reflector}


async def test_changes_after_the_list_are_applied_in_order() -> None:
    client = ScriptedClient(
        [[thing("a", 1)]],
        [[WatchEvent("ADDED", thing("b", 2)), WatchEvent("DELETED", thing("a", 3))]],
    )
    reflector, deltas = await follow(client)
    assert names(reflector) == {"b"}
    assert [(d.old is None, d.new is None) for d in deltas] == [
        (True, False),
        (True, False),
        (False, True),
    ]


async def test_a_broken_watch_resumes_where_it_was_told_last() -> None:
    client = ScriptedClient(
        [[thing("a", 1)]],
        [
            [WatchEvent("BOOKMARK", thing("", 7)), ApiError(500, "", "broken")],
            [WatchEvent("ADDED", thing("b", 8))],
        ],
    )
    await follow(client)
    assert client.asked == ["1", "7", "8"]


async def test_a_forgotten_version_means_a_new_list_and_only_true_changes() -> None:
    client = ScriptedClient(
        [[thing("a", 1), thing("b", 2)], [thing("b", 2), thing("c", 9)]],
        [[ApiError(410, "Expired", "too old")]],
    )
    reflector, deltas = await follow(client)
    assert names(reflector) == {"b", "c"}
    told = [(d.any.metadata.name, d.new is None) for d in deltas]
    assert told == [("a", False), ("b", False), ("a", True), ("c", False)]


async def test_an_object_made_anew_between_two_looks_is_told_as_gone_and_new() -> None:
    client = ScriptedClient(
        [[thing("a", 1, "first")]], [[WatchEvent("MODIFIED", thing("a", 5, "second"))]]
    )
    _, deltas = await follow(client)
    assert [(d.old is not None, d.new is not None) for d in deltas] == [
        (False, True),
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize(
    ("passing", "code", "broken"), [(True, 404, False), (True, 500, True), (False, 404, True)]
)
async def test_only_a_kind_that_may_go_away_goes_in_silence(caplog, passing, code, broken):
    refusal = ApiError(code, "", "nothing is served here")
    await follow(ScriptedClient([[thing("a", 1)]], [[refusal]]), passing=passing)
    assert ("watch broken" in caplog.text) is broken

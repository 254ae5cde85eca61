"""Events: what a story becomes on the server, and that it stays small."""

import asyncio

import pytest

from shoal.api.kinds import EVENTS, PODS
from shoal.api.meta import ObjectMeta
from shoal.api.pod import Pod
from shoal.kube.errors import ApiError, Cause
from shoal.kube.events import Events, note_about

POD = Pod(metadata=ObjectMeta(name="big-0", namespace="ns", uid="u"))


def note(message="2 whole cards; 1 free", reason="FailedScheduling"):
    return note_about(PODS, POD, reason, message, warning=True)


class Server:
    """Keeps events; ``created`` and ``patched`` are told as they come."""

    def __init__(self):
        self.kept = {}
        self.writes = asyncio.Queue()

    async def create(self, kind, event, namespace):
        assert (kind, namespace) == (EVENTS, "ns")
        self.kept[event["metadata"]["name"]] = event
        self.writes.put_nowait(event)

    async def patch(self, kind, name, namespace, *, patch):
        if name not in self.kept:
            raise ApiError(404, "NotFound", "there is no such event")
        self.kept[name] |= patch
        self.writes.put_nowait(self.kept[name])

    async def after(self, events, writes):
        """The events that there are after so many writes."""
        task = asyncio.create_task(events.run())
        async with asyncio.timeout(30):
            for _ in range(writes):
                await self.writes.get()
        task.cancel()
        return list(self.kept.values())


async def test_an_event_lies_beside_what_it_is_about_and_says_who_tells_it():
    server = Server()
    events = Events(server, "shoal-scheduler")
    events.tell(note())
    (event,) = await server.after(events, 1)
    assert event["metadata"]["name"].startswith("big-0.")
    assert event["involvedObject"] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": "ns",
        "name": "big-0",
        "uid": "u",
    }
    assert (event["type"], event["reason"], event["count"]) == ("Warning", "FailedScheduling", 1)
    assert event["message"] == "2 whole cards; 1 free"
    assert event["reportingComponent"] == event["source"]["component"] == "shoal-scheduler"


async def test_what_is_told_again_is_counted_and_what_is_new_is_not():
    server = Server()
    events = Events(server, "c")
    for message in ("one", "other", "one", "one"):
        events.tell(note(message))
    kept = await server.after(events, 4)
    assert {event["message"]: event["count"] for event in kept} == {"one": 3, "other": 1}


async def test_an_event_that_has_expired_is_made_anew():
    server = Server()
    events = Events(server, "c")
    events.tell(note())
    await server.after(events, 1)
    server.kept.clear()
    events.tell(note())
    (event,) = await server.after(events, 1)
    assert event["count"] == 1


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        (ApiError(403, "Forbidden", "no", [Cause("NamespaceTerminating", "it goes")]), False),
        (ApiError(404, "NotFound", "there is no namespace ns"), False),
        (ApiError(403, "Forbidden", "no"), True),
        (ApiError(507, "OutOfSpace", "the disk is full"), True),
    ],
)
async def test_an_event_that_is_not_taken_is_logged_unless_its_namespace_goes(
    caplog, refusal, told
):
    class Refusing(Server):
        async def create(self, kind, event, namespace):
            self.writes.put_nowait(event)
            raise refusal

    caplog.set_level("INFO")
    server = Refusing()
    events = Events(server, "c")
    events.tell(note("one"))
    events.tell(note("another"))
    await server.after(events, 2)
    logged = [record for record in caplog.records if record.message == "event not written"]
    assert bool(logged) == told

"""Following goes on across restarts of the server, and says when it cannot."""

import queue
from collections.abc import Iterator

import pytest

from shoal.api.kinds import RUNS
from shoal.api.meta import ObjectMeta
from shoal.api.run import Run, RunSpec
from shoal.cli.attached import follow
from shoal.cli.attached.follow import Away, Back, Changed, Follower, Lost
from shoal.kube.errors import ApiError, Unreachable
from shoal.kube.wire import Listing, ListMeta, WatchEvent


def run_at(version: str) -> Run:
    meta = ObjectMeta(name="digits", resource_version=version)
    return Run(metadata=meta, spec=RunSpec(run="true"))


class Server:
    """Answers each watch with the next part of a story; an error in it ends that watch.

    Where that part is an error itself, no server answers at all.
    """

    config = None

    def __init__(self, *story: list[WatchEvent[Run] | ApiError] | Unreachable) -> None:
        self._story = list(story)
        self.asked: list[str] = []

    def watch(self, *_: object, resource_version: str, **__: object) -> Iterator[WatchEvent[Run]]:
        self.asked.append(resource_version)
        for event in self._story.pop(0) if self._story else [ApiError(403, "Forbidden", "over")]:
            if isinstance(event, ApiError):
                raise event
            yield event

    def request(self, *_: object) -> bytes:
        if self._story and isinstance(self._story[0], Unreachable):
            raise self._story.pop(0)
        return b""

    def list(self, *_: object, **__: object) -> Listing[Run]:
        return Listing([run_at("20")], ListMeta(resource_version="20"))


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch):
    """All that a follower says of a story, to its end."""
    monkeypatch.setattr(follow.time, "sleep", lambda _: None)

    def hear(server: Server, since: str = "1") -> list[object]:
        monkeypatch.setattr(follow, "fresh", lambda _: server)
        inbox: queue.SimpleQueue[object] = queue.SimpleQueue()
        Follower(server, RUNS, "default", inbox, since=since).run()  # type: ignore[arg-type]
        return [inbox.get() for _ in range(inbox.qsize())]

    return hear


def test_it_goes_on_where_a_broken_watch_ended(heard) -> None:
    event = WatchEvent("MODIFIED", run_at("5"))
    server = Server([event, Unreachable("here", "reset")], [WatchEvent("DELETED", run_at("6"))])
    told = heard(server)
    assert server.asked == ["1", "5", "6"]
    assert [type(news) for news in told] == [Changed, Away, Back, Changed, Lost]
    assert told[3].deleted


def test_a_box_is_back_once_it_answers_not_only_when_something_changes(heard) -> None:
    refused = Unreachable("here", "refused")
    told = heard(Server([refused], refused, []))
    assert [type(news) for news in told] == [Away, Away, Back, Lost]


def test_bookmarks_move_it_on_and_are_no_news(heard) -> None:
    server = Server([WatchEvent("BOOKMARK", run_at("9"))])
    assert [type(news) for news in heard(server)] == [Lost]
    assert server.asked == ["1", "9"]


def test_a_forgotten_version_is_listed_anew(heard) -> None:
    server = Server([ApiError(410, "Expired", "too old")])
    told = heard(server)
    assert [type(news) for news in told] == [Changed, Lost]
    assert server.asked == ["1", "20"]


def test_a_box_that_stays_away_is_given_up(heard, monkeypatch) -> None:
    clock = iter(range(0, 1000, 7))
    monkeypatch.setattr(follow.time, "monotonic", lambda: next(clock))
    refused = Unreachable("here", "refused")
    told = heard(Server([refused], *[refused] * 100))
    assert [type(news) for news in told[:-1]] == [Away] * (len(told) - 1)
    assert isinstance(told[-1], Lost)
    assert 7 <= len(told) <= 10

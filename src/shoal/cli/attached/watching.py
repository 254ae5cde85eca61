"""One run watched until it ends, or until somebody stops watching."""

import contextlib
import queue
import signal
from collections.abc import Iterator
from typing import Any

from shoal.api.kinds import PODS, RUNS
from shoal.api.meta import LABEL_ATTEMPT, LABEL_RUN
from shoal.api.pod import ContainerState, Pod
from shoal.api.run import Run, RunPhase
from shoal.cli.attached.follow import (
    Away,
    Broken,
    Changed,
    Follower,
    Inbox,
    Interrupted,
    Lost,
    News,
)
from shoal.cli.attached.question import Choice, ask_what_next, can_ask
from shoal.cli.attached.screen import Screen
from shoal.cli.attached.streams import LogCopy, Stream
from shoal.cli.context import Here
from shoal.cli.ending import START_ERROR, exit_code, last_words
from shoal.cli.errors import INTERRUPTED, CommandError
from shoal.cli.output import Tone
from shoal.cli.places import say_places
from shoal.cli.say import now_ms, span_seconds, spell
from shoal.cli.scheduler import ask_explanation
from shoal.kube.errors import ApiError


def watch_run(here: Here, run: Run, headline: str = "") -> int:
    """Watch a run to its end; the exit code of the command.

    A ``headline`` means that it was created just now: nothing of it can have been missed.
    """
    return _Watch(here, run, Screen()).until_end(headline)


class _Watch:
    def __init__(self, here: Here, run: Run, screen: Screen) -> None:
        self._here = here
        self._run = run
        self._screen = screen
        self._name = run.metadata.name
        self._inbox: Inbox = queue.SimpleQueue()
        self._streams: dict[str, Stream] = {}
        self._places: dict[int, str] = {}
        self._told_started = -1
        self._left: int | None = None

    def until_end(self, headline: str) -> int:
        with _interrupts_into(self._inbox):
            if headline:
                self._screen.say(headline)
            if not self._run.status.phase.ended:
                self._follow(fresh=bool(headline))
                self._see_run(self._run)
            while not self._run.status.phase.ended and self._left is None:
                self._hear(self._inbox.get())
        return self._left if self._left is not None else self._end()

    def _follow(self, *, fresh: bool) -> None:
        client, namespace = self._here.client, self._here.namespace
        version = self._run.metadata.resource_version
        fields = f"metadata.name={self._name}"
        labels = f"{LABEL_RUN}={self._name}"
        pods_since = version if fresh else ""
        Follower(client, RUNS, namespace, self._inbox, fields=fields, since=version).start()
        Follower(client, PODS, namespace, self._inbox, labels=labels, since=pods_since).start()

    def _hear(self, news: News) -> None:
        match news:
            case Changed(object=Run() as run, deleted=deleted):
                if deleted:
                    raise CommandError(f"{self._name} was deleted")
                self._see_run(run)
            case Changed(object=Pod() as pod, deleted=False):
                self._see_pod(pod)
            case Away():
                self._screen.change("  the box does not answer; asking again")
            case Lost(error=error):
                raise error
            case Broken():
                raise BrokenPipeError
            case Interrupted():
                self._interrupted()

    def _see_run(self, run: Run) -> None:
        if run.status.attempt > self._run.status.attempt:
            self._screen.say(f"  again     attempt {run.status.attempt + 1}: {run.status.message}")
        self._run = run
        if run.status.phase is RunPhase.QUEUED:
            self._tell_wait()
        elif run.status.phase is RunPhase.STARTING and run.status.message:
            self._screen.change(f"  starting  {run.status.message}")

    def _tell_wait(self) -> None:
        """What it waits for, and its place in the line from the scheduler, if that answers."""
        told = self._run.status.message
        if not told:
            self._screen.hint("  queued    waiting for the scheduler")
            return
        with contextlib.suppress(ApiError):
            if explanation := ask_explanation(self._here, self._name):
                told = f"place {explanation.turn} · {told}"
        self._screen.change(f"  queued    {told}")

    def _see_pod(self, pod: Pod) -> None:
        attempt = _label(pod, LABEL_ATTEMPT)
        if pod.spec.node_name and attempt not in self._places:
            # Asked for before the program runs, so that its first line need not wait for it.
            where = say_places(self._here, self._run, attempt) or pod.spec.node_name
            self._places[attempt] = where
        state = _main_state(pod)
        if not _started_at(state):
            return
        if attempt > self._told_started:
            self._told_started = attempt
            self._screen.say(
                f"  started   {self._places.get(attempt, '')} {_after(self._run, state)}"
            )
        self._stream(pod)

    def _stream(self, pod: Pod) -> None:
        if pod.metadata.uid in self._streams:
            return
        many = self._run.spec.replicas > 1
        copy = LogCopy(self._here.client, pod, self._screen, many=many, follow=True)
        stream = Stream(copy, self._output_ended)
        self._streams[pod.metadata.uid] = stream
        stream.start()

    def _output_ended(self, broken: bool) -> None:
        if broken:
            self._inbox.put(Broken())

    def _interrupted(self) -> None:
        if not can_ask(self._screen):
            self._detach(INTERRUPTED)
            return
        match ask_what_next(self._name, self._screen):
            case Choice.DETACH:
                self._detach(0)
            case Choice.STOP:
                patch: dict[str, Any] = {"spec": {"stop": True}}
                self._here.client.patch(RUNS, self._name, self._here.namespace, patch=patch)
                self._screen.change("  stopping")
            case Choice.STAY:
                self._see_run(self._run)

    def _detach(self, code: int) -> None:
        self._left = code
        self._screen.say(
            f"{self._name} goes on. Watch it: shoal attach {self._name} · "
            f"end it: shoal stop {self._name}"
        )

    def _end(self) -> int:
        self._finish_streams()
        for words in last_words(self._here, self._run):
            self._screen.say(words.text, words.tone)
        return exit_code(self._run)

    def _finish_streams(self) -> None:
        """All that was printed is shown before the last words are."""
        labels = f"{LABEL_RUN}={self._name},{LABEL_ATTEMPT}={self._run.status.attempt}"
        with contextlib.suppress(ApiError):
            for pod in self._here.client.list(PODS, self._here.namespace, labels=labels).items:
                self._see_pod(pod)
        for stream in self._streams.values():
            stream.finish()
            if stream.cut_off:
                self._screen.say(
                    f"  the output above is not whole ({stream.cut_off}); "
                    f"all of it: shoal logs {self._name}",
                    Tone.BAD,
                )


@contextlib.contextmanager
def _interrupts_into(inbox: Inbox) -> Iterator[None]:
    """Ctrl-C is news like any other while the context lasts."""
    before = signal.signal(signal.SIGINT, lambda *_: inbox.put(Interrupted()))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _main_state(pod: Pod) -> ContainerState:
    statuses = pod.status.container_statuses
    return next((s.state for s in statuses if s.name == "main"), ContainerState())


def _label(pod: Pod, key: str) -> int:
    text = pod.metadata.labels.get(key, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _after(run: Run, state: ContainerState) -> str:
    waited = span_seconds(run.metadata.creation_timestamp, _started_at(state), now_ms())
    return f"after {spell(waited)}"


def _started_at(state: ContainerState) -> str | None:
    """When the program started; None while it has not, and if it never did."""
    ended = state.terminated
    if ended is not None and ended.reason == START_ERROR:
        return None
    told = state.running or ended
    return told.started_at if told is not None else None

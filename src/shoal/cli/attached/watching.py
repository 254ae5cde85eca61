"""One run watched until it ends, or until somebody stops watching."""

import contextlib
import queue
import signal
import time
from collections.abc import Iterator
from typing import Any, Final

from shoal.api.kinds import PODS, RUNS
from shoal.api.meta import LABEL_ATTEMPT, LABEL_RUN
from shoal.api.pod import ContainerState, Pod
from shoal.api.run import Run, RunPhase
from shoal.cli.attached.follow import (
    Away,
    Back,
    Broken,
    Changed,
    Follower,
    Inbox,
    Interrupted,
    Lost,
    News,
)
from shoal.cli.attached.keyboard import silent
from shoal.cli.attached.question import Choice, ask_what_next, can_ask
from shoal.cli.attached.screen import Screen
from shoal.cli.attached.streams import LogCopy, Stream
from shoal.cli.attached.words import BACK, away_words, detached_words, unknown_words
from shoal.cli.context import Here
from shoal.cli.ending import START_ERROR, exit_code, last_words
from shoal.cli.errors import INTERRUPTED, CommandError
from shoal.cli.output import Tone
from shoal.cli.places import say_places
from shoal.cli.say import now_ms, span_seconds, spell
from shoal.cli.scheduler import ask_explanation
from shoal.cli.stopping import GRACE_SECONDS, is_stopping, say_stopping
from shoal.kube.errors import ApiError, KubeconfigError

_HELD_BACK_S: Final = 1.0
"""How long a wait must last to be worth a line where lines stay."""
_TICK_S: Final = 1.0
"""Between two looks at a line that tells how long ago something was."""


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
        self._grace = GRACE_SECONDS
        self._told_started = -1
        self._away: set[str] = set()
        self._began = time.monotonic()
        self._left: int | None = None

    def until_end(self, headline: str) -> int:
        with _interrupts_into(self._inbox), silent():
            if headline:
                self._screen.say(headline)
            if not self._run.status.phase.ended:
                self._follow(fresh=bool(headline))
                self._see_run(self._run)
            while not self._run.status.phase.ended and self._left is None:
                self._hear_in_time()
            return self._left if self._left is not None else self._end()

    def _follow(self, *, fresh: bool) -> None:
        client, namespace = self._here.client, self._here.namespace
        version = self._run.metadata.resource_version
        fields = f"metadata.name={self._name}"
        labels = f"{LABEL_RUN}={self._name}"
        pods_since = version if fresh else ""
        Follower(client, RUNS, namespace, self._inbox, fields=fields, since=version).start()
        Follower(client, PODS, namespace, self._inbox, labels=labels, since=pods_since).start()

    def _hear_in_time(self) -> None:
        """The next news; the line that changes is told anew where time alone changes it."""
        try:
            news = self._inbox.get(timeout=self._patience())
        except queue.Empty:
            self._tell()
        else:
            self._hear(news)

    def _patience(self) -> float | None:
        if self._away:
            return None
        if self._screen.interactive:
            return _TICK_S if is_stopping(self._run) else None
        held_back = self._held_back()
        return held_back if self._run.status.phase is RunPhase.QUEUED and held_back > 0 else None

    def _held_back(self) -> float:
        """Seconds for which a wait is not worth a line that stays."""
        return self._began + _HELD_BACK_S - time.monotonic()

    def _hear(self, news: News) -> None:
        match news:
            case Changed(object=Run() as run, deleted=deleted):
                if deleted:
                    raise CommandError(f"{self._name} was deleted")
                self._see_run(run)
            case Changed(object=Pod() as pod, deleted=False):
                self._see_pod(pod)
            case Away(plural=plural):
                self._away.add(plural)
                self._screen.change(away_words(self._run))
            case Back(plural=plural):
                self._come_back(plural)
            case Lost(error=error):
                raise CommandError(unknown_words(self._run)) if error.passing else error
            case Broken():
                raise BrokenPipeError
            case Interrupted():
                self._interrupted()

    def _come_back(self, plural: str) -> None:
        """The box answers again: look afresh, since more may have happened than was heard."""
        self._away.discard(plural)
        if self._away:
            return
        self._screen.erase()
        if not self._screen.interactive:
            self._screen.say(BACK)
        with contextlib.suppress(ApiError, KubeconfigError):
            self._here = Here(self._here.namespace)
        try:
            self._see_run(self._here.client.get(RUNS, self._name, self._here.namespace))
        except ApiError as error:
            if error.not_found:
                raise CommandError(f"{self._name} was deleted") from None

    def _see_run(self, run: Run) -> None:
        if run.status.attempt > self._run.status.attempt:
            message = run.status.message
            self._screen.say(f"  again     attempt {run.status.attempt + 1}: {message}")
        self._run = run
        if not self._away:
            self._tell()

    def _tell(self) -> None:
        """The line that changes: what the run waits for now."""
        run = self._run
        if run.status.phase.ended:
            return
        if is_stopping(run):
            words = say_stopping(run, ago=self._screen.interactive, grace=self._grace)
            self._screen.change(f"  {words}")
        elif run.status.phase is RunPhase.QUEUED:
            self._tell_wait()
        elif run.status.phase in (RunPhase.STARTING, RunPhase.UNKNOWN) and run.status.message:
            self._screen.change(f"  {run.status.phase.lower():8}  {run.status.message}")

    def _tell_wait(self) -> None:
        """What it waits for, and its place in the line from the scheduler, if that answers."""
        told = self._run.status.message
        if not self._screen.interactive and self._held_back() > 0:
            return
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
            self._places[attempt] = self._say_places(pod, attempt)
        self._grace = _grace_of(pod)
        state = _main_state(pod)
        if not _started_at(state):
            return
        if attempt > self._told_started:
            self._told_started = attempt
            self._screen.say(
                f"  started   {self._places.get(attempt, '')} {_after(self._run, state)}"
            )
        self._stream(pod)

    def _say_places(self, pod: Pod, attempt: int) -> str:
        with contextlib.suppress(ApiError):
            return say_places(self._here, self._run, attempt) or pod.spec.node_name
        return pod.spec.node_name

    def _stream(self, pod: Pod) -> None:
        if pod.metadata.uid in self._streams:
            return
        many = self._run.spec.replicas > 1
        copy = LogCopy(self._here.client, pod, self._screen, many=many)
        stream = Stream(copy, self._output_ended)
        self._streams[pod.metadata.uid] = stream
        stream.start()

    def _output_ended(self, broken: bool) -> None:
        if broken:
            self._inbox.put(Broken())

    def _interrupted(self) -> None:
        if self._away:
            self._leave(INTERRUPTED, unknown_words(self._run))
            return
        if not can_ask(self._screen):
            self._leave(INTERRUPTED, detached_words(self._name))
            return
        match ask_what_next(self._name, self._screen):
            case Choice.DETACH:
                self._leave(0, detached_words(self._name))
            case Choice.STOP:
                self._stop()
            case Choice.STAY:
                self._see_run(self._run)

    def _stop(self) -> None:
        patch: dict[str, Any] = {"spec": {"stop": True}}
        try:
            run = self._here.client.patch(RUNS, self._name, self._here.namespace, patch=patch)
        except ApiError as error:
            self._screen.say(f"  {self._name} was not asked to stop: {error.message}", Tone.BAD)
        else:
            self._see_run(run)

    def _leave(self, code: int, words: str) -> None:
        self._left = code
        self._screen.say(words)

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


def _grace_of(pod: Pod) -> int:
    grace = pod.spec.termination_grace_period_seconds
    return GRACE_SECONDS if grace is None else grace


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

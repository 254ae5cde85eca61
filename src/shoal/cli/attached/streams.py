"""What the replicas print: one thread each, from the moment a replica runs to its end.

A stream that breaks before the program has ended is opened again, and goes on at the byte
where it was: the log is read from its beginning and what was copied before is passed over.
"""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from shoal.api.kinds import PODS
from shoal.api.meta import LABEL_RANK
from shoal.api.pod import Pod
from shoal.cli.attached.contact import fresh
from shoal.cli.attached.follow import PATIENCE
from shoal.cli.attached.screen import Screen
from shoal.kube.blocking import BlockingClient
from shoal.kube.errors import ApiError

_LONGEST_LINE: Final = 65536
_LONGEST_MARK: Final = 4096
_FIRST_WAIT: Final = 0.02
"""Seconds; doubled after each try. A log may appear a moment after its program."""
_LONGEST_WAIT: Final = 2.0
_STANDSTILL: Final = 10
"""Seconds that a log may stand still after its program has ended before it is given up."""
ROTATED: Final = "  what was printed meanwhile is more than is kept; some of it is missing here"


class LogCopy:
    """Copies one replica's output to the screen; each line led by its rank where ``many`` print.

    ``tail`` is how many of the last lines to begin with; None means from the start.
    """

    def __init__(
        self,
        client: BlockingClient,
        pod: Pod,
        screen: Screen,
        *,
        many: bool,
        tail: int | None = None,
    ) -> None:
        self._client = client
        self._pod = pod
        self._screen = screen
        self._prefix = f"[{pod.metadata.labels.get(LABEL_RANK, '0')}] ".encode() if many else b""
        self._tail = tail
        self._rest = b""
        self._mark = b""
        """The last bytes copied, by which the place is found again."""
        self.moved = 0
        """Bytes of the log that were copied or passed over so far."""

    def copy(self) -> None:
        """Copy what there is. Raises ApiError, and BrokenPipeError where nobody reads any more."""
        query = {} if self._tail is None else {"tailLines": str(self._tail)}
        for chunk in self._log(query):
            self._take(chunk)
        self.finish()

    def follow(self) -> None:
        """Copy what follows what was copied, until the log ends or breaks. Raises as ``copy``."""
        if self._tail is not None and not self.moved:
            self._begin_at_the_tail(self._tail)
        passed = self._find_place()
        for chunk in self._log({"follow": "true"}):
            self._take(chunk[passed:])
            passed = max(passed - len(chunk), 0)

    def finish(self) -> None:
        """Show a last line that has no end."""
        if self._rest:
            self._screen.output(self._prefix + self._rest + b"\n")
            self._rest = b""

    def over(self) -> bool:
        """Whether the program has ended, so that nothing is added to its log any more."""
        self._client = fresh(self._client)
        metadata = self._pod.metadata
        try:
            pod = self._client.get(PODS, metadata.name, metadata.namespace)
        except ApiError as error:
            return error.not_found
        return pod.finished or pod.metadata.uid != metadata.uid

    def _log(self, query: dict[str, str]) -> Iterator[bytes]:
        path = PODS.path(self._pod.metadata.namespace, self._pod.metadata.name, "log")
        return self._client.stream(path, {"container": "main"} | query)

    def _begin_at_the_tail(self, lines: int) -> None:
        """Show the last lines of what there is, and count all of it as copied."""
        log = b"".join(self._log({}))
        self._show(_last_lines(log, lines))
        self.moved, self._mark = len(log), log[-_LONGEST_MARK:]

    def _find_place(self) -> int:
        """How many bytes of the log as it is now were copied before.

        As many as were counted, unless it was rotated; then what was copied last is looked for,
        and where none of that is left all that there is counts as new.
        """
        if not self._mark:
            return 0
        begin, window, found = 0, b"", -1
        for chunk in self._log({}):
            kept = window[max(len(window) - len(self._mark) + 1, 0) :]
            begin, window = begin + len(window) - len(kept), kept + chunk
            at = self.moved - len(self._mark) - begin
            if at >= 0 and window.startswith(self._mark, at):
                return self.moved
            if found < 0 and (at := window.find(self._mark)) >= 0:
                found = begin + at + len(self._mark)
        if found < 0:
            self._screen.say(ROTATED)
        self.moved = max(found, 0)
        return self.moved

    def _take(self, chunk: bytes) -> None:
        if chunk:
            self._show(chunk)
            self.moved += len(chunk)
            self._mark = (self._mark + chunk)[-_LONGEST_MARK:]

    def _show(self, chunk: bytes) -> None:
        if not self._prefix:
            self._screen.output(chunk)
            return
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            lines.append(self._rest)
            self._rest = b""
        if lines:
            self._screen.output(b"".join(self._prefix + line + b"\n" for line in lines))


class Stream(threading.Thread):
    """Copies one replica's output to its end while other things happen.

    ``on_end`` is called in the thread with whether the output ended because nobody reads it.
    """

    def __init__(self, copy: LogCopy, on_end: Callable[[bool], None]) -> None:
        super().__init__(name="log", daemon=True)
        self._copy = copy
        self._on_end = on_end
        self._hurry = threading.Event()
        self._run_ended = False
        self.cut_off = ""
        """Why the output ended before the program's did; empty if it did not."""

    @property
    def moved(self) -> int:
        """Bytes copied so far."""
        return self._copy.moved

    def run(self) -> None:
        """Copy; go on where it was when the stream breaks, until the program has ended."""
        broken = False
        try:
            self._go_on()
            self._copy.finish()
        except BrokenPipeError:
            broken = True
        self._on_end(broken)

    def finish(self) -> None:
        """The run has ended: wait for the end of the output, as long as there is some."""
        self._run_ended = True
        while self.is_alive():
            before = self.moved
            self._hurry.set()
            self.join(_STANDSTILL)
            if self.moved == before and self.is_alive():
                self.cut_off = f"nothing came for {_STANDSTILL} s"
                return

    def _go_on(self) -> None:
        over, wait, heard = False, _FIRST_WAIT, time.monotonic()
        while True:
            before = self.moved
            error = self._try()
            if over and (error is None or not error.passing):
                break
            if self.moved > before or error is None:
                heard = time.monotonic()
            elif time.monotonic() - heard > PATIENCE:
                break
            wait = _FIRST_WAIT if self.moved > before else min(wait * 2, _LONGEST_WAIT)
            self._hurry.wait(wait)
            self._hurry.clear()
            # Asked before the next try: what was printed before the end is copied by that.
            over = self._run_ended or self._copy.over()
        if error is not None:
            self.cut_off = error.message

    def _try(self) -> ApiError | None:
        """Copy until the log ends; why it broke, if it did."""
        try:
            self._copy.follow()
        except ApiError as error:
            return error
        return None


def _last_lines(log: bytes, lines: int) -> bytes:
    """The last lines; a part without its end counts as one."""
    at = len(log) - log.endswith(b"\n")
    for _ in range(lines):
        at = log.rfind(b"\n", 0, at)
        if at < 0:
            return log
    return log[at + 1 :]

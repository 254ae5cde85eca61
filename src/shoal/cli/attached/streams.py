"""What the replicas print: one thread each, from the moment a replica runs."""

import threading
import time
from collections.abc import Callable
from typing import Final

from shoal.api.kinds import PODS
from shoal.api.meta import LABEL_RANK
from shoal.api.pod import Pod
from shoal.cli.attached.screen import Screen
from shoal.kube.blocking import BlockingClient
from shoal.kube.errors import ApiError

_LONGEST_LINE: Final = 65536
_TRIES: Final = 8
_FIRST_WAIT: Final = 0.02
"""Seconds; doubled after each try. A log may appear a moment after its program."""
_PATIENCE: Final = 10
"""Seconds that a log may stand still after its program has ended before it is given up."""


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
        follow: bool,
        tail: int | None = None,
    ) -> None:
        self._client = client
        self._path = PODS.path(pod.metadata.namespace, pod.metadata.name, "log")
        self._screen = screen
        self._prefix = f"[{pod.metadata.labels.get(LABEL_RANK, '0')}] ".encode() if many else b""
        self._query = {"container": "main"}
        if follow:
            self._query["follow"] = "true"
        if tail is not None:
            self._query["tailLines"] = str(tail)
        self._rest = b""
        self.moved = 0
        """Bytes copied so far."""

    def copy(self) -> None:
        """Copy to the end. Raises ApiError, and BrokenPipeError where nobody reads any more."""
        for chunk in self._client.stream(self._path, self._query):
            self._show(chunk)
            self.moved += len(chunk)
        if self._rest:
            self._screen.output(self._prefix + self._rest + b"\n")

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
    """Copies one replica's output while other things happen.

    ``on_end`` is called in the thread with whether the output ended because nobody reads it.
    """

    def __init__(self, copy: LogCopy, on_end: Callable[[bool], None]) -> None:
        super().__init__(name="log", daemon=True)
        self._copy = copy
        self._on_end = on_end
        self.cut_off = ""
        """Why the output ended before the program's did; empty if it did not."""

    def run(self) -> None:
        """Copy, and try again for a moment while there is no log yet."""
        broken, wait = False, _FIRST_WAIT
        for _ in range(_TRIES):
            try:
                if self._try():
                    break
            except BrokenPipeError:
                broken = True
                break
            time.sleep(wait)
            wait *= 2
        self._on_end(broken)

    def finish(self) -> None:
        """Wait for the end of the output, as long as there is some."""
        while self.is_alive():
            before = self._copy.moved
            self.join(_PATIENCE)
            if self._copy.moved == before and self.is_alive():
                self.cut_off = f"nothing came for {_PATIENCE} s"
                return

    def _try(self) -> bool:
        """Whether there is nothing more to try."""
        try:
            self._copy.copy()
        except ApiError as error:
            if not self._copy.moved:
                return False
            self.cut_off = error.message
        return True

"""The terminal that a run is watched on.

What the run prints goes to stdout, untouched; what shoal says about it goes to stderr, so
that a pipe gets the program's output alone.
"""

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from shoal.cli.fit import squeeze
from shoal.cli.output import Tone, colourful, paint

_CLEAR = "\r\x1b[K"


class Screen:
    """One line that changes, lines that stay, and output; safe to use from any thread."""

    def __init__(self) -> None:
        self.interactive = sys.stderr.isatty()
        self._colours = colourful(sys.stderr)
        self._together = self.interactive and sys.stdout.isatty()
        self._lock = threading.RLock()
        self._line = ""
        self._fresh = True

    def change(self, text: str, tone: Tone = Tone.WAITING) -> None:
        """Rewrite the line that changes; off a terminal a line for each new text."""
        with self._lock:
            if text == self._line:
                return
            self._line = text
            if self.interactive:
                width = shutil.get_terminal_size().columns - 1
                shown = squeeze(text, width)
                self._write(_CLEAR + paint(shown, tone, colours=self._colours))
            else:
                self._write(f"{text}\n")

    def hint(self, text: str) -> None:
        """Rewrite the line that changes, where there is one; worth no line of its own."""
        if self.interactive:
            self.change(text, Tone.DIM)

    def erase(self) -> None:
        """Rub out the line that changes, where it is no longer true."""
        with self._lock:
            if self._line:
                self._clear()

    def say(self, text: str, tone: Tone = Tone.PLAIN) -> None:
        """Write a line that stays."""
        with self._lock:
            self._clear()
            self._write(paint(text, tone, colours=self._colours) + "\n")

    def output(self, data: bytes) -> None:
        """Write what the run printed. Raises BrokenPipeError where nobody reads any more."""
        with self._lock:
            if self._together:
                self._clear()
            _write_all(1, data)
            self._fresh = data.endswith(b"\n")

    @contextmanager
    def question(self, text: str) -> Iterator[None]:
        """A question on a line of its own; nobody else writes while the context lasts."""
        with self._lock:
            self._clear()
            self._write(text)
            yield
            self._write("\n")

    def _clear(self) -> None:
        """Begin a line of our own, after the changing one and after unfinished output."""
        if self._line and self.interactive:
            self._write(_CLEAR)
        elif not self._fresh and self._together:
            self._write("\n")
        self._line = ""
        self._fresh = True

    def _write(self, text: str) -> None:
        # Past Python's own stream: a thread that holds its lock when the process ends would
        # crash the interpreter.
        _write_all(2, text.encode(sys.stderr.encoding, sys.stderr.errors or "replace"))


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]

"""Watching a run from a terminal: its wait in one line, its output as it comes, its end.

One thread follows the run, one its pods, and one each replica's output; the thread that was
there first listens to the first two and to the keyboard, and alone decides.
"""

from shoal.cli.attached.screen import Screen
from shoal.cli.attached.watching import watch_run

__all__ = ["Screen", "watch_run"]

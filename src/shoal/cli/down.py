"""``shoal down``: end the box of this machine."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

import click

from shoal.cli.box.errors import BoxError, NoBoxError

_MOST_NAMED: Final = 5
_LONGEST_STOP: Final = 40
"""Seconds that the supervisor may take to end its three processes."""


@click.command()
@click.option("--drain", is_flag=True, help="Wait until what runs has ended; start nothing new.")
@click.option("--kill", is_flag=True, help="Stop what runs, with its grace period.")
def command(drain: bool, kill: bool) -> None:
    """End the box. With work running it asks, or takes --drain or --kill.

    Runs that still wait are kept and go on waiting after the next "shoal up".

    With --kill, what is stopped stays listed, with its logs and outputs: a run as stopped, a
    pod that belongs to no run as failed, "stopped by shoal down --kill". What is on a node that
    does not answer is left, and named.
    """
    from shoal.cli.box.home import running
    from shoal.kube.config import home_path

    if drain and kill:
        raise BoxError("--drain waits and --kill stops: give one of them")
    home = home_path()
    state = running(home)
    if state is None:
        raise NoBoxError(home)
    _empty(drain=drain, kill=kill)
    _end(state.pid, home)
    print("box down")


def _empty(*, drain: bool, kill: bool) -> None:
    from shoal.cli.box import drain as draining
    from shoal.cli.box.facts import active_pods
    from shoal.kube.blocking import BlockingClient
    from shoal.kube.config import load_config
    from shoal.kube.errors import Unreachable

    client = BlockingClient(load_config())
    try:
        active = active_pods(client)
        if not active:
            return
        if not (drain or kill):
            kill = _ask(len(active)) == "k"
        _say_left(draining.empty(client, kill=kill, tell=_say_waiting))
    except Unreachable as error:
        raise BoxError(f"{error.message}; look at it: shoal status") from None


def _ask(count: int) -> str:
    """``d`` or ``k``; raises BoxError for anything else, and where nobody can answer."""
    what = f"{count} program is" if count == 1 else f"{count} programs are"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BoxError(f"{what} running; shoal down --drain waits for the end, --kill stops")
    answer = input(f"{what} running. d wait for the end · k stop now · Enter leave the box up: ")
    if answer.strip().lower() not in ("d", "k"):
        raise BoxError("the box stays up")
    return answer.strip().lower()


def _say_waiting(active: list[str]) -> None:
    shown, more = active[:_MOST_NAMED], len(active) - _MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    print(f"waiting for the end of {', '.join(shown)}{rest}", flush=True)


def _say_left(left: list[str]) -> None:
    if left:
        print(f"left, on a node that does not answer: {', '.join(left[:_MOST_NAMED])}", flush=True)


def _end(pid: int, home: Path) -> None:
    from shoal.cli.box.home import running

    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + _LONGEST_STOP
    while running(home) is not None:
        if time.monotonic() > deadline:
            raise BoxError(f"process {pid} does not end; look at {home / 'log'}, or kill -9 {pid}")
        time.sleep(0.02)

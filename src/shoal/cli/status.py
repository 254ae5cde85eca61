"""``shoal status``: whether the box runs, with what, and what it does."""

import sys
from collections import Counter

import click

from shoal.cli.box.errors import NoBoxError
from shoal.cli.box.home import BoxState, now_seconds, running


@click.command()
def command() -> None:
    """Tell whether the box runs, its processes, its cards and its runs."""
    from shoal.kube.config import home_path
    from shoal.units.duration import say_duration

    home = home_path()
    state = running(home)
    if state is None:
        raise NoBoxError(home)
    up = say_duration(now_seconds() - state.started)
    print(f"box up for {up} at https://127.0.0.1:{state.port} · home {home} · pid {state.pid}")
    _say_processes(state)
    _say_work()


def _say_processes(state: BoxState) -> None:
    from shoal.cli.box.held import say_stopped
    from shoal.cli.box.memory import pss_mib

    for process in state.processes:
        memory = pss_mib(process.pid)
        alive = f"pid {process.pid} · {memory} MiB" if memory is not None else "down"
        times = "once" if process.restarts == 1 else f"{process.restarts} times"
        again = f" · started anew {times}" if process.restarts else ""
        held = f" · {told}" if (told := say_stopped(process.pid)) else ""
        print(f"  {process.name:<9} {alive}{again}{held}")


def _say_work() -> None:
    from shoal.api.kinds import NODES, RUNS
    from shoal.api.meta import ANNOTATION_CLOSED_BY_DOWN
    from shoal.api.run import RunPhase
    from shoal.cli.box.facts import say_cards
    from shoal.cli.say import say_phase
    from shoal.kube.blocking import BlockingClient
    from shoal.kube.config import load_config
    from shoal.kube.errors import Unreachable

    client = BlockingClient(load_config())
    try:
        print(f"  cards     {say_cards(client)}")
        phases = Counter(run.status.phase for run in client.list(RUNS).items)
        nodes = client.list(NODES).items
    except Unreachable as error:
        print(f"shoal: {error.message}", file=sys.stderr)
        sys.exit(1)
    told = [f"{phases[phase]} {say_phase(phase)}" for phase in RunPhase if phases[phase]]
    print(f"  runs      {' · '.join(told) or 'none'}")
    if any(ANNOTATION_CLOSED_BY_DOWN in node.metadata.annotations for node in nodes):
        print("  closing   shoal down waits for what runs; nothing new starts")

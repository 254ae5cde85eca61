"""``shoal up``: start the box of this machine."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click

from shoal.cli.box.errors import BoxError
from shoal.cli.box.ports import DEFAULT_PORT, check_free
from shoal.cli.options import option

OnReady = Callable[[int], None]
"""Given the port once the box is ready."""


@click.command()
@option(
    "--gpus",
    default="",
    metavar="sim:CARDS",
    help="Simulated cards instead of real ones, such as sim:2xA100-80GB,1xT4 or sim:FILE.json.",
)
@option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port of the API server on 127.0.0.1; 0 takes a free one.",
)
@option("--node-name", default="", help="Name of this node.  [default: the host's name]")
@click.option("-d", "--detach", is_flag=True, help="Go on in the background once all is ready.")
@click.option("--ready-fd", type=int, hidden=True)
def command(gpus: str, port: int, node_name: str, detach: bool, ready_fd: int | None) -> None:
    """Start the box of this machine: API server, scheduler, controllers, agent.

    Without --gpus it offers the NVIDIA cards that it finds. Programs outlive the box: what runs
    when it ends goes on, and the next "shoal up" finds it again.
    """
    from shoal.kube.config import home_path

    home = home_path()
    started = time.monotonic()
    if detach:
        _start_behind(home, gpus, port, node_name)
        _say_up(started, detached=True)
    elif ready_fd is None:
        _serve(home, gpus, port, node_name, lambda _: _say_up(started, detached=False))
    else:
        _serve_behind(home, gpus, port, node_name, ready_fd)


def _serve(home: Path, gpus: str, port: int, node_name: str, on_ready: OnReady) -> None:
    import asyncio

    from shoal.agent.simulated import check_gpus
    from shoal.cli.box.home import make_home, take_lock
    from shoal.cli.box.supervisor import Options, Supervisor

    check_gpus(gpus)
    make_home(home)
    take_lock(home)
    check_free(port)

    async def supervise() -> None:
        await Supervisor(home, Options(port=port, gpus=gpus, node_name=node_name)).run(on_ready)

    asyncio.run(supervise())


def _serve_behind(home: Path, gpus: str, port: int, node_name: str, ready_fd: int) -> None:
    """The half of ``up -d`` that stays: its first words go to the half that waits."""

    def tell(word: str) -> None:
        os.write(ready_fd, word.encode())
        os.close(ready_fd)

    try:
        _serve(home, gpus, port, node_name, lambda _: tell("ready"))
    except (BoxError, ValueError) as error:
        tell(str(error))
        sys.exit(2)


def _start_behind(home: Path, gpus: str, port: int, node_name: str) -> None:
    """Start the half that stays and wait for its first words. Raises BoxError with them."""
    read, write = os.pipe()
    arguments = ["up", "--port", str(port), "--ready-fd", str(write)]
    arguments += ["--gpus", gpus] if gpus else []
    arguments += ["--node-name", node_name] if node_name else []
    subprocess.Popen(
        [sys.executable, "-m", "shoal", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[write],
        start_new_session=True,
        env=os.environ | {"SHOAL_HOME": str(home)},
    )
    os.close(write)
    with os.fdopen(read, "rb") as words:
        word = words.read().decode()
    if word != "ready":
        raise BoxError(word or f"the box ended before it was ready; its logs: {home / 'log'}")


def _say_up(started: float, *, detached: bool) -> None:
    from shoal.cli.box.drain import reopen
    from shoal.cli.box.facts import say_cards
    from shoal.kube.blocking import BlockingClient
    from shoal.kube.config import load_config

    client = BlockingClient(load_config())
    reopen(client)
    seconds = time.monotonic() - started
    print(f"box up after {seconds:.1f} s at {client.config.server} · {say_cards(client)}")
    if detached:
        print("next: shoal run --gpu 1/2 -- python train.py · shoal ps · shoal down")
    else:
        print("Ctrl-C ends the box; programs go on and are found again by the next shoal up")
    sys.stdout.flush()

"""``shoal logs``: what a run printed."""

from typing import TYPE_CHECKING

import click

from shoal.cli.options import namespace_option

if TYPE_CHECKING:
    from shoal.api.pod import Pod
    from shoal.api.run import Run
    from shoal.cli.attached.streams import LogCopy
    from shoal.cli.context import Here


@click.command()
@click.argument("name")
@click.option("-f", "--follow", is_flag=True, help="Go on until the run ends.")
@click.option("--rank", type=click.IntRange(0), metavar="N", help="One replica.  [default: all]")
@click.option("--tail", type=click.IntRange(0), metavar="LINES", help="Only the last lines.")
@click.option(
    "--attempt", type=click.IntRange(0), metavar="N", help="An attempt, from 0.  [default: last]"
)
@namespace_option
def command(
    *,
    name: str,
    follow: bool,
    rank: int | None,
    tail: int | None,
    attempt: int | None,
    namespace: str,
) -> None:
    """Show what a run printed.

    Lines of several replicas begin with [rank].
    """
    from shoal.cli.attached import Screen
    from shoal.cli.attached.streams import LogCopy
    from shoal.cli.context import Here

    here = Here(namespace)
    run = here.run(name)
    pods = _pods(here, run, attempt if attempt is not None else run.status.attempt)
    chosen = [pod for at, pod in pods.items() if rank is None or at == rank]
    if not chosen:
        _refuse(run, list(pods), rank, attempt)
    screen, many = Screen(), len(chosen) > 1
    copies = [LogCopy(here.client, pod, screen, many=many, tail=tail) for pod in chosen]
    if follow:
        _follow(copies, run)
        return
    for copy in copies:
        _show(copy, run)


def _pods(here: "Here", run: "Run", attempt: int) -> "dict[int, Pod]":
    """The pods of an attempt by rank."""
    from shoal.api.kinds import PODS
    from shoal.api.meta import LABEL_ATTEMPT, LABEL_RANK, LABEL_RUN

    labels = f"{LABEL_RUN}={run.metadata.name},{LABEL_ATTEMPT}={attempt}"
    pods = here.client.list(PODS, here.namespace, labels=labels).items
    return dict(sorted((int(pod.metadata.labels.get(LABEL_RANK, 0)), pod) for pod in pods))


def _refuse(run: "Run", ranks: list[int], rank: int | None, attempt: int | None) -> None:
    from shoal.cli.errors import BadInput, CommandError
    from shoal.cli.say import say_phase

    name = run.metadata.name
    if ranks and rank is not None:
        raise BadInput(f"{name} has no replica {rank}; it has 0 to {ranks[-1]}")
    if attempt is not None and attempt > run.status.attempt:
        raise BadInput(f"{name} has no attempt {attempt}; it has 0 to {run.status.attempt}")
    phase = say_phase(run.status.phase)
    raise CommandError(f"{name} has printed nothing: it is {phase}. Why: shoal why {name}")


def _show(copy: "LogCopy", run: "Run") -> None:
    from shoal.kube.errors import ApiError

    try:
        copy.copy()
    except ApiError as error:
        raise _broken(run, copy.moved, error.message) from None


def _follow(copies: "list[LogCopy]", run: "Run") -> None:
    """All at once, until the last of them ends."""
    from queue import SimpleQueue

    from shoal.cli.attached.streams import Stream

    ends: SimpleQueue[bool] = SimpleQueue()
    streams = [Stream(copy, ends.put) for copy in copies]
    for stream in streams:
        stream.start()
    for _ in streams:
        if ends.get():
            raise BrokenPipeError
    for stream in streams:
        if stream.cut_off:
            raise _broken(run, stream.moved, stream.cut_off)


def _broken(run: "Run", moved: int, why: str) -> Exception:
    from shoal.cli.errors import CommandError

    name, failure = run.metadata.name, run.status.failure
    if not moved and failure is not None and failure.reason == "StartError":
        return CommandError(f"{name} has printed nothing: {failure.message}")
    return CommandError(f"the log of {name} ends here: {why}")

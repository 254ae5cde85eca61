"""``shoal ps``: every run, and what it waits for or ended with."""

from typing import TYPE_CHECKING

import click

from shoal.cli.options import namespace_option, output_option

if TYPE_CHECKING:
    from shoal.api.run import Run
    from shoal.cli.context import Here
    from shoal.cli.output import Row

_LONGEST_COMMAND = 40


@click.command()
@output_option
@namespace_option
def command(output: str, namespace: str) -> None:
    """List runs and what each waits for or ended with.

    The newest is last. TIME is how long it has waited, runs, or ran.
    """
    from shoal.api.kinds import RUNS
    from shoal.cli.context import Here
    from shoal.cli.objects import read_items
    from shoal.cli.output import Format, write_names, write_objects

    here, form = Here(namespace), Format(output)
    if form in (Format.JSON, Format.YAML):
        write_objects(read_items(here, RUNS), form)
        return
    runs = here.client.list(RUNS, here.namespace).items
    runs.sort(key=lambda run: (run.metadata.creation_timestamp or "", run.metadata.name))
    if form is Format.NAME:
        write_names(f"run.shoal.dev/{run.metadata.name}" for run in runs)
    else:
        _write_table(here, runs, wide=form is Format.WIDE)


def _write_table(here: "Here", runs: "list[Run]", *, wide: bool) -> None:
    import sys

    from shoal.cli.output import write_table

    if not runs and sys.stdout.isatty():
        print("no runs yet. Start one: shoal run --gpu 1/2 -- python train.py")
        return
    columns = ["NAME", "PHASE", "GPU", "WHERE", "TIME"]
    columns += ["QUEUE", "PRIORITY", "RESTARTS"] if wide else []
    columns += ["WAITS FOR / ENDED WITH", *(["COMMAND"] if wide else [])]
    waits = _waits(here, runs)
    rows = [_row(run, waits.get(run.metadata.name, ""), wide=wide) for run in runs]
    write_table(columns, rows)


def _waits(here: "Here", runs: "list[Run]") -> dict[str, str]:
    """What each waiting run waits for, in the scheduler's words."""
    from shoal.api.run import RunPhase

    if not any(run.status.phase is RunPhase.QUEUED for run in runs):
        return {}
    from shoal.cli.scheduler import ask_waits

    return {line.owner: line.message for line in ask_waits(here)}


def _row(run: "Run", wait: str, *, wide: bool) -> "Row":
    from shoal.cli.fit import cut
    from shoal.cli.output import Cell
    from shoal.cli.say import now_ms, said_command, say_gpu, say_phase, say_where, seconds_of
    from shoal.cli.tones import tone_of
    from shoal.units.duration import say_duration

    status, spec = run.status, run.spec
    row: list[Cell | str] = [
        run.metadata.name,
        Cell(say_phase(status.phase), tone_of(status.phase)),
        say_gpu(spec),
        say_where(status.replicas),
        say_duration(seconds_of(run, now_ms())),
    ]
    if not wide:
        return [*row, _why(run, wait)]
    row += [spec.queue, spec.priority, str(status.restarts or ""), _why(run, wait)]
    return [*row, cut(said_command(spec), _LONGEST_COMMAND)]


def _why(run: "Run", wait: str) -> str:
    """What it waits for, what ends it, or what it ended with."""
    from shoal.api.run import RunPhase
    from shoal.cli.stopping import is_stopping, say_stopping

    if is_stopping(run):
        return say_stopping(run)
    queued = run.status.phase is RunPhase.QUEUED
    return wait if wait and queued else run.status.message

"""``shoal why``: why a run waits, or why it ended."""

from typing import TYPE_CHECKING

import click

from shoal.cli.options import namespace_option

if TYPE_CHECKING:
    from shoal.api.gang import Gang
    from shoal.api.pod import Pod
    from shoal.api.run import Run
    from shoal.cli.context import Here


@click.command()
@click.argument("name", metavar="RUN | pod/NAME | gang/NAME")
@namespace_option
def command(name: str, namespace: str) -> None:
    """Say why a run waits, or why it ended.

    For one that waits: what is missing, who holds it, when it starts at the latest, and what
    would start sooner. Takes pods and gangs too.
    """
    from shoal.api.kinds import GANGS, PODS, RUNS
    from shoal.cli.context import Here
    from shoal.cli.errors import BadInput
    from shoal.cli.objects import find_kind

    here = Here(namespace)
    kind_text, slash, rest = name.partition("/")
    kind = find_kind(kind_text) if slash else RUNS
    if kind is RUNS:
        _write_run(here, here.run(rest if slash else name))
    elif kind is PODS:
        _write_pod(here, here.find(PODS, rest))
    elif kind is GANGS:
        _write_gang(here, here.find(GANGS, rest))
    else:
        raise BadInput(f"a {kind.name.lower()} waits for nothing; example: shoal why pod/digits-0")


def _write_run(here: "Here", run: "Run") -> None:
    from shoal.api.run import RunPhase

    if run.status.phase.ended:
        _write_end(here, run)
    elif run.status.phase is RunPhase.QUEUED:
        reason = run.status.message or "the scheduler has said nothing yet"
        _write_wait(here, run.metadata.name, f"waits: {reason}")
    else:
        _write_place(run)


def _write_pod(here: "Here", pod: "Pod") -> None:
    from shoal.cli.pods import say_waits

    name, status, node = pod.metadata.name, pod.status, pod.spec.node_name
    if status.phase == "Pending":
        wait = say_waits(here).get(name) or "nothing is known yet"
        _write_wait(here, name, f"waits: {wait}")
        return
    told = f": {status.message or status.reason}" if status.message or status.reason else ""
    print(f"{name} waits for nothing: it is {status.phase.lower()} on {node}{told}")


def _write_gang(here: "Here", gang: "Gang") -> None:
    from shoal.api.gang import PLACED

    phase = gang.status.phase
    otherwise = "waits for nothing: it has its place" if phase == PLACED else f"is {phase.lower()}"
    _write_wait(here, gang.metadata.name, otherwise)


def _write_end(here: "Here", run: "Run") -> None:
    import sys

    from shoal.cli.ending import last_words
    from shoal.cli.output import colourful, paint

    colours = colourful(sys.stdout)
    for words in last_words(here, run):
        print(paint(words.text, words.tone, colours=colours))


def _write_place(run: "Run") -> None:
    from shoal.cli.say import now_ms, say_phase, say_where, seconds_of
    from shoal.units.duration import say_duration

    time = say_duration(seconds_of(run, now_ms()))
    phase, where = say_phase(run.status.phase), say_where(run.status.replicas)
    told = f" · {run.status.message}" if run.status.message else ""
    print(f"{run.metadata.name} waits for nothing: it is {phase} on {where} for {time}{told}")


def _write_wait(here: "Here", name: str, otherwise: str) -> None:
    """Why it waits, in the scheduler's words, or ``otherwise`` where it says nothing."""
    from shoal.cli.cards import card_table
    from shoal.cli.say import say_clock
    from shoal.cli.scheduler import ask_explanation
    from shoal.core.words import say_explanation

    told = ask_explanation(here, name)
    if told is None:
        print(f"{name} {otherwise}")
        return
    several = len({card.node for card in told.cards}) > 1
    first, *rest = say_explanation(told, say_clock, cluster=several)
    cards = card_table(told.cards) if told.cards else []
    print("\n".join([first, *cards, *rest]))

"""``shoal why``: why a run waits, or why it ended."""

from typing import TYPE_CHECKING

import click

from shoal.cli.options import namespace_option

if TYPE_CHECKING:
    from shoal.api.run import Run
    from shoal.cli.context import Here
    from shoal.core.report import CardLine, Explanation


@click.command()
@click.argument("name")
@namespace_option
def command(name: str, namespace: str) -> None:
    """Say why a run waits, or why it ended.

    For one that waits: what is missing, who holds it, when it starts at the latest, and what
    would start sooner.
    """
    from shoal.api.run import RunPhase
    from shoal.cli.context import Here

    here = Here(namespace)
    run = here.run(name)
    if run.status.phase.ended:
        _write_end(here, run)
    elif run.status.phase is RunPhase.QUEUED:
        _write_wait(here, run)
    else:
        _write_place(run)


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


def _write_wait(here: "Here", run: "Run") -> None:
    from shoal.cli.say import say_clock
    from shoal.cli.scheduler import ask_explanation
    from shoal.core.words import say_explanation

    told = ask_explanation(here, run.metadata.name)
    if told is None:
        reason = run.status.message or "the scheduler has said nothing yet"
        print(f"{run.metadata.name} waits: {reason}")
        return
    first, *rest = say_explanation(told, say_clock, cluster=_several_nodes(told))
    print(first)
    if told.cards:
        _write_cards(told)
    if told.turn > 1:
        print(f"It has place {told.turn} in the line.")
    for line in rest:
        print(line)


def _several_nodes(told: "Explanation") -> bool:
    return len({card.node for card in told.cards}) > 1


def _write_cards(told: "Explanation") -> None:
    import sys

    from shoal.cli.output import colourful, lay_out
    from shoal.core.words import say_free

    several = _several_nodes(told)
    rows = [("  CARD", "MODEL", "FREE", "HELD BY", "")]
    rows += [
        (f"  {_number(card, several)}", _model(card), say_free(card), *_held(card))
        for card in told.cards
    ]
    print("\n".join(lay_out(rows, colours=colourful(sys.stdout))))


def _number(card: "CardLine", several: bool) -> str:
    from shoal.cli.say import card_index

    number = card_index(card.card)
    return f"{card.node}:{number}" if several else number


def _model(card: "CardLine") -> str:
    return f"{card.model} SIMULATED" if card.simulated else card.model


def _held(card: "CardLine") -> tuple[str, str]:
    """Who holds it, and when the last of them ends if that is known of all."""
    from shoal.cli.say import say_clock
    from shoal.core.words import say_card_holder

    who = " · ".join(map(say_card_holder, card.holders))
    ends = [holder.ends_at for holder in card.holders]
    return who, f"ends by {say_clock(max(ends))} (time limit)" if ends and all(ends) else ""

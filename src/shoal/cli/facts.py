"""All there is to tell of a run, as names and values."""

from shoal.api.meta import Condition
from shoal.api.run import Run
from shoal.api.snapshot import PREFIX
from shoal.cli.context import Here
from shoal.cli.ending import outputs_of
from shoal.cli.limits import CARD_MEMORY_SHORT, say_host_amounts
from shoal.cli.places import CardFact, read_cards
from shoal.cli.say import (
    card_index,
    now_ms,
    said_command,
    say_cards,
    say_clock,
    say_phase,
    seconds_of,
)
from shoal.units.duration import say_duration
from shoal.units.errors import UnitError
from shoal.units.instant import parse_instant

Facts = list[tuple[str, str]]


def facts_of(here: Here, run: Run) -> Facts:
    """What was asked, what became of it, where it is and how it ended; nothing empty."""
    facts = [*_asked(run), *_state(run), *_places(here, run), *_failure(run)]
    return [fact for fact in facts if fact[1]]


def clock_of(instant: str | None) -> str:
    """An RFC 3339 time as people read it; empty for none."""
    try:
        return say_clock(parse_instant(instant)) if instant else ""
    except UnitError:
        return ""


def _asked(run: Run) -> Facts:
    spec, retry = run.spec, run.spec.retry
    how = "a copy" if spec.code.startswith(PREFIX) else "in place"
    return [
        ("Name", run.metadata.name),
        ("Namespace", run.metadata.namespace),
        ("Command", said_command(spec)),
        ("Code", f"{spec.code} ({how})" if spec.code else ""),
        ("Image", spec.image),
        ("Cards", f"{say_cards(spec)} · {CARD_MEMORY_SHORT}" if spec.gpu else "none"),
        ("Pack", "replicas may share a card" if spec.pack else ""),
        ("Host", say_host_amounts(spec)),
        ("Queue", f"{spec.queue} · priority {spec.priority}"),
        ("Time limit", f"{spec.limits.time} an attempt" if spec.limits.time else ""),
        ("Retry", f"{retry.max} times on {', '.join(retry.on)}" if retry.max else ""),
        # Names alone: values may be secrets, and facts are shown to others.
        ("Environment", " ".join(spec.env)),
    ]


def _state(run: Run) -> Facts:
    status = run.status
    link = "after" if status.phase.ended else "for"
    time = say_duration(seconds_of(run, now_ms()))
    return [
        ("Phase", f"{say_phase(status.phase)} {link} {time}"),
        ("Because", status.message),
        ("Created", clock_of(run.metadata.creation_timestamp)),
        ("Started", clock_of(status.started_at)),
        ("Finished", clock_of(status.finished_at)),
        ("Restarts", str(status.restarts or "")),
        *(("Condition", _said(condition)) for condition in status.conditions),
    ]


def _said(condition: Condition) -> str:
    parts = (condition.type, condition.status, condition.reason, condition.message)
    return " ".join(part for part in parts if part)


def _places(here: Here, run: Run) -> Facts:
    cards = read_cards(here) if any(replica.cards for replica in run.status.replicas) else {}
    facts = []
    for replica in run.status.replicas:
        told = [
            f"card {card_index(card)}{_model(cards.get((replica.node, card)))}"
            for card in replica.cards
        ]
        where = " ".join([replica.node or "no node yet", *told])
        facts.append((f"Replica {replica.rank}", f"{where} · pod {replica.pod}"))
    return facts


def _model(card: CardFact | None) -> str:
    if card is None:
        return ""
    return f" ({card.model}{', SIMULATED' if card.simulated else ''})"


def _failure(run: Run) -> Facts:
    failure, out = run.status.failure, outputs_of(run)
    facts = [("Outputs", out)]
    if failure is None:
        return facts
    how = f"signal {failure.signal}" if failure.signal else f"exit code {failure.exit_code}"
    return [("Failure", f"{failure.message} · {failure.reason} · {how}"), *facts]

"""Cards as a table: what each is, what is free of it, and who holds the rest."""

import sys
from collections.abc import Sequence

from shoal.cli.output import colourful, lay_out
from shoal.cli.say import card_index, say_clock
from shoal.core.report import CardLine
from shoal.core.words import say_card_holder, say_free


def card_table(cards: Sequence[CardLine]) -> list[str]:
    """A line for each card under their heads; a card says its node where there are several."""
    several = len({card.node for card in cards}) > 1
    rows = [("  CARD", "MODEL", "FREE", "HELD BY", "")]
    rows += [
        (f"  {_number(card, several)}", _model(card), say_free(card), *_held(card))
        for card in cards
    ]
    return lay_out(rows, colours=colourful(sys.stdout))


def _number(card: CardLine, several: bool) -> str:
    number = card_index(card.card)
    return f"{card.node}:{number}" if several else number


def _model(card: CardLine) -> str:
    return f"{card.model} SIMULATED" if card.simulated else card.model


def _held(card: CardLine) -> tuple[str, str]:
    """Who holds it, and when the last of them ends if that is known of all."""
    who = " · ".join(map(say_card_holder, card.holders))
    ends = [holder.ends_at for holder in card.holders]
    return who, f"ends by {say_clock(max(ends))} (time limit)" if ends and all(ends) else ""

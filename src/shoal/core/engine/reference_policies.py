"""The policies in plain Python: how good it is to place a class where a trial says.

Scores are (major, minor), greater is better; see ``native/placement/policies`` for the formulas'
sources.
"""

from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from shoal.core.engine.policy import Policy
from shoal.core.engine.reference_worth import fine_of, idle_in, is_for, residues
from shoal.core.engine.reserves import Reserve
from shoal.core.engine.spec import Ask, Work, cards_of
from shoal.units.gpu import WHOLE

if TYPE_CHECKING:
    from shoal.core.engine.reference import Room

Score = tuple[int, int]


class Trial(NamedTuple):
    """A node before and after a class was placed on the cards of the mask."""

    ask: Ask
    before: "Room"
    after: "Room"
    cards: int
    models: int
    works: tuple[Work, ...]
    steps: tuple[int, ...]
    worth: tuple[int, ...] = ()
    worth_step: int = 1
    tight: tuple[Reserve, ...] = ()
    pressure: int = 0


def _binpack(trial: Trial) -> Score:
    over = 0
    for at in cards_of(trial.cards):
        whole = trial.before.spec.cards[at].mib
        over += int(trial.after.milli[at])
        over += _toward_zero(int(trial.after.mib[at]) * WHOLE, whole) if whole else 0
    node = int(trial.after.milli.sum())
    return -(over * (1 << 24) + node), -(trial.after.cpu * (1 << 32) + trial.after.memory)


def _spread(trial: Trial) -> Score:
    major, minor = _binpack(trial)
    return -major, -minor


def _best_fit(trial: Trial) -> Score:
    return (256_000 - trial.after.cpu - 16 * sum(residues(trial.after))) // 2560, 0


def _dot_product(trial: Trial) -> Score:
    asked = trial.ask.count * trial.ask.milli
    free = sum(residues(trial.after)) + asked
    product = trial.before.cpu * trial.ask.cpu + 256 * free * asked
    return (32_768_000_000 - product) // 327_680_000, 0


def _random(trial: Trial) -> Score:
    del trial
    return 0, 0


def _fgd_published(trial: Trial) -> Score:
    gained = _unusable(trial, trial.before) - _unusable(trial, trial.after)
    return bisect_right(trial.steps, gained), 0


def _fragmentation(trial: Trial) -> Score:
    left = sum(residues(trial.after)) * (1 << 32) + trial.after.cpu
    return _fgd_published(trial)[0], -left


def _idle_value(trial: Trial) -> Score:
    left, then = residues(trial.before), residues(trial.after)
    gained = idle_in(trial.worth, trial.before.cpu, left) - idle_in(
        trial.worth, trial.after.cpu, then
    )
    against = [each for each in trial.tight if not is_for(each, trial.ask, trial.models)]
    fine = fine_of(against, trial.before, trial.after)
    ties = trial.pressure * (1 << 32) + trial.after.cpu
    return (gained - fine) // trial.worth_step, -ties


def _unusable(trial: Trial, room: "Room") -> int:
    cards = room.spec.cards
    model, left = cards[0].model if cards else 0, residues(room)
    return sum(work.weight * _unusable_for(work.ask, room.cpu, model, left) for work in trial.works)


def _unusable_for(ask: Ask, cpu: int, model: int, left: list[int]) -> int:
    fitting = [each for each in left if each >= ask.milli]
    fits = ask.count and cpu >= ask.cpu and ask.allows(model) and len(fitting) >= ask.count
    return sum(left) - sum(fitting) if fits else sum(left)


def _toward_zero(value: int, by: int) -> int:
    """Division as C has it."""
    return value // by if value >= 0 else -(-value // by)


RANKS: Final[dict[Policy, Callable[[Trial], Score]]] = {
    Policy.BINPACK: _binpack,
    Policy.SPREAD: _spread,
    Policy.BEST_FIT: _best_fit,
    Policy.DOT_PRODUCT: _dot_product,
    Policy.RANDOM: _random,
    Policy.FRAGMENTATION: _fragmentation,
    Policy.FGD_PUBLISHED: _fgd_published,
    Policy.IDLE_VALUE: _idle_value,
}

"""How much of which cards: the type ``Share`` and its one grammar.

``[COUNTx]AMOUNT``, optionally led by models: ``[MODEL[,MODEL]:]...`` (``|`` works too).

=================  =====================================================================
``2``              two whole cards
``0.5``, ``1/2``   that part of one card, memory and compute alike
``10Gi``           10 GiB of memory; no compute held
``10Gi@30%``       10 GiB and 30 % of the compute
``4x0.5``          half of each of four different cards
``A100,H100:2``    two whole cards of either model
=================  =====================================================================
"""

import re
from fractions import Fraction
from typing import Final

import msgspec

from shoal.units.errors import UnitError
from shoal.units.quantity import MIB, parse_quantity

WHOLE: Final = 1000
"""The compute of one card in milli-card."""

_MOST_CARDS: Final = 100_000
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}\Z")
_LIKE_MODEL = re.compile(r"(?!x\d)[A-Za-z]+-?\d[A-Za-z0-9._-]*\Z")
"""``H100``, ``RTX-4090``: a word that says which card, not how much of it."""
_BYTES = re.compile(r"(?:[0-9]{1,9}(\.[0-9]{1,6})?|\.[0-9]{1,6})(?:Ki|[MGT]i?)\Z")
_DECIMAL = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?\Z|\.[0-9]{1,6}\Z")
_FRACTION = re.compile(r"([0-9]{1,6})/([0-9]{1,6})\Z")
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9])?)%\Z")
_EXAMPLES: Final = "examples: 2, 1/2, 10Gi, 10Gi@30%, 4x0.5, A100:1/4"


class Share(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A part of each of ``count`` different cards.

    ``milli`` is the compute held on each card in milli-card. ``memory_mib`` is the memory
    held on each card in MiB; 0 means the same part of the card's memory as of its compute,
    so it is known only once the card is. ``models`` are the models allowed; empty means any.
    """

    count: int = 1
    milli: int = 0
    memory_mib: int = 0
    models: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether whole cards are asked for."""
        return self.milli == WHOLE and self.memory_mib == 0

    def memory_on(self, card_mib: int) -> int:
        """MiB held on a card with ``card_mib`` MiB in all, rounded down so that n × 1/n fits."""
        return self.memory_mib or card_mib * self.milli // WHOLE

    def allows(self, model: str) -> bool:
        """Whether a card of this model will do: ``A100`` allows ``A100-80GB``."""
        return not self.models or any(_names(asked, model) for asked in self.models)


def parse_share(text: str) -> Share:
    """The share that a text asks for. Raises UnitError with what is wrong and a right example."""
    written = text.strip()
    if not written or len(written) > 200:
        raise UnitError(f"{written[:40]!r} is not a GPU amount; {_EXAMPLES}")
    models, amount = _split_models(written)
    if not models:
        _check_amount(written)
    count, part = _split_count(written, amount)
    memory, milli = _parse_part(written, part, counted=count is not None)
    if memory == 0 and milli > WHOLE:
        count, milli = milli // WHOLE, WHOLE
    if not 1 <= (count or 1) <= _MOST_CARDS:
        raise UnitError(f"{written}: {count} cards is outside 1 to {_MOST_CARDS}; {_EXAMPLES}")
    return Share(count=count or 1, milli=milli, memory_mib=memory, models=models)


def format_share(share: Share) -> str:
    """The share in its own grammar; ``parse_share`` reads it back to the same share."""
    models = ",".join(share.models) + ":" if share.models else ""
    if share.whole:
        return f"{models}{share.count}"
    count = f"{share.count}x" if share.count > 1 else ""
    return f"{models}{count}{_format_part(share)}"


def say_milli(milli: int) -> str:
    """Compute as people ask for it: ``1``, ``1/2``, ``3/4``, ``0.3``."""
    whole, rest = divmod(milli, WHOLE)
    if rest == 0:
        return str(whole)
    for parts in (2, 3, 4, 5, 6, 7, 8, 12, 16):
        for of in range(1, parts):
            if of * WHOLE // parts == rest and Fraction(of, parts).denominator == parts:
                return f"{whole} {of}/{parts}" if whole else f"{of}/{parts}"
    return f"{milli / WHOLE:.3f}".rstrip("0")


def _names(asked: str, model: str) -> bool:
    asked, model = asked.lower(), model.lower()
    return model == asked or model.startswith((asked + "-", asked + " "))


def _split_models(written: str) -> tuple[tuple[str, ...], str]:
    head, colon, tail = written.rpartition(":")
    if not colon:
        return (), written
    models = tuple(dict.fromkeys(name.strip() for name in re.split(r"[,|]", head)))
    for name in models:
        if not _MODEL.match(name):
            raise UnitError(f"{written}: {name!r} is not a card model; example: A100,H100:1/2")
    return models, tail.strip()


def _check_amount(written: str) -> None:
    """Raises UnitError for models alone: how much of them is to be said."""
    if all(_LIKE_MODEL.match(word.strip()) for word in re.split(r"[,|]", written)):
        what = "are card models" if re.search(r"[,|]", written) else "is a card model"
        raise UnitError(f"{written} {what} without an amount; did you mean {written}:1?")


def _split_count(written: str, amount: str) -> tuple[int | None, str]:
    head, cross, tail = amount.partition("x")
    if not cross:
        return None, amount
    if not (head.isascii() and head.isdigit() and 1 <= int(head[:7]) <= _MOST_CARDS):
        raise UnitError(
            f"{written}: {head!r} is not a count of cards; example: 4x0.5 (half of four cards)"
        )
    return int(head), tail


def _parse_part(written: str, part: str, *, counted: bool) -> tuple[int, int]:
    """(MiB or 0, milli-card) of one card; more than WHOLE milli only for whole cards."""
    if "@" in part or _BYTES.match(part):
        return _parse_memory(written, part)
    value = _parse_number(written, part)
    if value > _MOST_CARDS:
        raise UnitError(f"{written}: more than {_MOST_CARDS} cards; {_EXAMPLES}")
    if value > 1 and (value.denominator != 1 or counted):
        raise UnitError(_too_much(written, value, counted))
    milli = int(value * WHOLE)
    if milli < 1:
        raise UnitError(f"{written}: the least part of a card is 0.001; {_EXAMPLES}")
    return 0, milli


def _parse_memory(written: str, part: str) -> tuple[int, int]:
    size, at, percent = part.partition("@")
    if not _BYTES.match(size):
        raise UnitError(f"{written}: {size!r} is not a memory size; example: 10Gi@30%")
    memory = int(parse_quantity(size) / MIB)
    if memory < 1:
        raise UnitError(f"{written}: the least memory of a share is 1Mi; example: 10Gi")
    if not at:
        return memory, 0
    match = _PERCENT.match(percent)
    if match is None:
        raise UnitError(f"{written}: {percent!r} is not a percentage; example: 10Gi@30%")
    milli = int(Fraction(match[1]) * WHOLE / 100)
    if not 1 <= milli <= WHOLE:
        raise UnitError(f"{written}: compute is 0.1% to 100%, not {percent}; example: 10Gi@30%")
    return memory, milli


def _parse_number(written: str, part: str) -> Fraction:
    if match := _FRACTION.match(part):
        above, below = map(int, match.groups())
        if below == 0:
            raise UnitError(f"{written}: a part of 0 is nothing; example: 1/2")
        return Fraction(above, below)
    if not _DECIMAL.match(part):
        raise UnitError(f"{written}: {part!r} is not an amount of cards; {_EXAMPLES}")
    return Fraction(part)


def _too_much(written: str, value: Fraction, counted: bool) -> str:
    if counted:
        return f"{written}: a part of a card is at most 1; example: 4x0.5 (half of four cards)"
    up = -(-value.numerator // value.denominator)
    each = f"{float(value / up):.3f}".rstrip("0").rstrip(".")
    return (
        f"{written}: a part of a card is at most 1. "
        f"For {float(value):g} cards: {up}x{each} (a part of each of {up}) or {up}."
    )


def _format_part(share: Share) -> str:
    if not share.memory_mib:
        return say_milli(share.milli)
    size = share.memory_mib
    memory = f"{size // 1024}Gi" if size % 1024 == 0 else f"{size}Mi"
    return f"{memory}@{share.milli / 10:g}%" if share.milli else memory

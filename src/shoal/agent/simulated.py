"""Simulated cards: ``sim:2xA100-80GB,1xT4``, or ``sim:FILE.json`` with one entry a card.

The file: ``{"cards": [{"model": "A100-80GB"}, {"model": "X1", "memory": "12Gi", "uuid": "…"}]}``.
A model that is in the table needs no memory; a card without a UUID gets one from its home and
its place, so that boxes of simulated cards never collide.
"""

import difflib
import os
import re
import uuid
from pathlib import Path
from typing import Final

import msgspec

from shoal.agent.models import MEMORY_MIB
from shoal.core.event import Card
from shoal.units.errors import UnitError
from shoal.units.quantity import parse_mib

PREFIX: Final = "sim:"
MOST_CARDS: Final = 128
"""The most devices that one ResourceSlice may list."""
_MOST_MIB: Final = 1 << 30
_SHOWN: Final = 40

_MODEL: Final = "[A-Za-z0-9][A-Za-z0-9._-]{0,62}"
"""As it may be asked for, see shoal.units.gpu."""
_GROUP: Final = re.compile(rf"(?:([0-9]+)x)?({_MODEL})\Z")
_UUID: Final = re.compile(r"[A-Za-z0-9-]{1,64}\Z")
_EXAMPLE: Final = "example: sim:2xA100-80GB,1xT4"
_FILE_EXAMPLE: Final = (
    'example: {"cards": [{"model": "A100-80GB"}, {"model": "X1", "memory": "12Gi"}]}'
)
_BY_LOWER: Final = {model.lower(): model for model in MEMORY_MIB}


class _SimCard(msgspec.Struct, forbid_unknown_fields=True):
    model: str
    memory: str = ""
    uuid: str = ""


class _SimFile(msgspec.Struct, forbid_unknown_fields=True):
    cards: list[_SimCard]


def check_gpus(text: str) -> None:
    """Raises UnitError with one sentence if ``--gpus`` says nothing that can be simulated."""
    if text:
        simulated_cards(text, Path("/"))


def simulated_cards(text: str, home: Path) -> list[Card]:
    """The cards that a text asks for. Raises UnitError with a right example."""
    if not text.startswith(PREFIX):
        raise UnitError(f"--gpus {text[:60]}: simulated cards begin with sim:; {_EXAMPLE}")
    body = text.removeprefix(PREFIX).strip()
    wanted = _from_file(Path(body)) if body.endswith(".json") else _from_text(text, body)
    if not 1 <= len(wanted) <= MOST_CARDS:
        raise _too_many(text, len(wanted))
    cards = [_card(index, sim, home) for index, sim in enumerate(wanted)]
    if len({card.uuid for card in cards}) < len(cards):
        raise UnitError(f"--gpus {text[:60]}: two cards have one UUID; leave uuid out to get one")
    return cards


def _from_text(text: str, body: str) -> list[_SimCard]:
    wanted: list[_SimCard] = []
    for part in body.split(","):
        match = _GROUP.match(part.strip())
        count = 0 if match is None else _count(match[1] or "1")
        if match is None or not count:
            raise UnitError(f"--gpus {text[:60]}: {part[:40]!r} is not COUNTxMODEL; {_EXAMPLE}")
        if count > MOST_CARDS:
            raise _too_many(text, match[1])
        wanted += [_SimCard(_known(text, match[2]))] * count
    return wanted


def _count(digits: str) -> int:
    """As a number, however many digits there are: what is too much stays too much."""
    return int(digits.lstrip("0")[:9] or 0)


def _too_many(text: str, count: object) -> UnitError:
    return UnitError(f"--gpus {text[:60]}: {str(count)[:40]} cards is outside 1 to {MOST_CARDS}")


def _known(text: str, model: str) -> str:
    if model.lower() in _BY_LOWER:
        return _BY_LOWER[model.lower()]
    longer = [name for name in MEMORY_MIB if name.lower().startswith(model.lower())]
    near = longer or difflib.get_close_matches(model.upper(), MEMORY_MIB, 3, 0.4)
    known = " or ".join(near) if near else ", ".join(MEMORY_MIB)
    raise UnitError(f"--gpus {text[:60]}: no card model {model!r} to simulate; {known}")


def _from_file(path: Path) -> list[_SimCard]:
    place = os.path.expanduser(path)  # noqa: PTH111  pathlib's raises for ~nobody-of-that-name
    try:
        cards = msgspec.json.decode(Path(place).read_bytes(), type=_SimFile).cards
    except OSError as error:
        raise UnitError(
            f"--gpus sim:{path}: {error.strerror}; give a JSON file, or {_EXAMPLE}"
        ) from None
    except msgspec.DecodeError as error:
        raise UnitError(f"--gpus sim:{path}: {error}; {_FILE_EXAMPLE}") from None
    for index, card in enumerate(cards):
        if wrong := _what_is_wrong(card):
            raise UnitError(f"--gpus sim:{path}: card {index}: {wrong}; {_FILE_EXAMPLE}")
    return cards


def _what_is_wrong(card: _SimCard) -> str:
    if not re.fullmatch(_MODEL, card.model):
        return f"model {_shown(card.model)} is not 1 to 63 of letters, digits, '.', '_' and '-'"
    if card.uuid and not _UUID.match(card.uuid):
        return f"uuid {_shown(card.uuid)} is not 1 to 64 of letters, digits and '-'"
    if not card.memory:
        known = card.model in MEMORY_MIB
        return "" if known else f"model {card.model!r} needs a memory"
    try:
        memory = parse_mib(card.memory)
    except UnitError as error:
        return f"memory: {error}"
    return "" if 1 <= memory <= _MOST_MIB else f"memory {_shown(card.memory)} is not 1Mi to 1Pi"


def _shown(text: str) -> str:
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _card(index: int, sim: _SimCard, home: Path) -> Card:
    memory = parse_mib(sim.memory) if sim.memory else MEMORY_MIB[sim.model]
    own = f"GPU-{uuid.uuid5(uuid.NAMESPACE_URL, f'file://{home.resolve()}#gpu-{index}')}"
    return Card(f"gpu-{index}", sim.model, memory, sim.uuid or own, simulated=True)

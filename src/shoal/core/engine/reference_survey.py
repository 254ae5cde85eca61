"""Surveys in plain Python: the oracle of ``survey.c``."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from shoal.core.engine.reference_cards import choose_cards
from shoal.core.engine.spec import Ask, Busy, Most, Survey
from shoal.units.gpu import WHOLE

if TYPE_CHECKING:
    from shoal.core.engine.reference import Room

Fitting = Callable[["Room", Ask], list[int]]
Rooms = dict[int, "Room"]


def survey(rooms: Rooms, ask: Ask, fitting_cards: Fitting) -> Survey:
    """What there is on these nodes, all of which suit the class."""
    fitting = {node: fitting_cards(room, ask) for node, room in rooms.items()} if ask.count else {}
    served = [node for node in rooms if _serves(rooms[node], ask, fitting.get(node, []))]
    with_cpu = [node for node in served if rooms[node].cpu >= ask.cpu]
    allowed = list(_allowed(rooms, ask)) if ask.count else []
    roomy = [
        (node, card)
        for node, card in allowed
        if rooms[node].mib[card] >= ask.memory_on(rooms[node].spec.cards[card].mib)
    ]
    cpu, memory = ([getattr(r.spec, what) for r in rooms.values()] for what in ("cpu", "memory"))
    return Survey(
        len(rooms),
        len(allowed),
        sum(map(len, fitting.values())),
        len(served),
        _most(rooms, ((len(cards), node, -1) for node, cards in fitting.items())),
        _most(rooms, ((rooms[node].cpu, node, -1) for node in served)),
        _most(rooms, ((rooms[node].memory, node, -1) for node in with_cpu or served)),
        _most(rooms, ((int(rooms[node].milli[card]), node, card) for node, card in roomy)),
        _most(rooms, ((int(rooms[node].mib[card]), node, card) for node, card in allowed)),
        sum(max(room.cpu, 0) for room in rooms.values()),
        sum(cpu),
        max(cpu, default=0),
        sum(max(room.memory, 0) for room in rooms.values()),
        sum(memory),
        max(memory, default=0),
    )


def easiest(rooms: Rooms, ask: Ask, fitting_cards: Fitting) -> list[Busy]:
    """The busy cards of these nodes that would do, those with least on them first."""
    busy = [
        Busy(_held(rooms[node], card), node, card)
        for node, card in _allowed(rooms, ask)
        if rooms[node].users[card] and card not in fitting_cards(rooms[node], ask)
    ]
    return sorted(busy, key=lambda one: (one.held, rooms[one.node].rank, one.card))


def _serves(room: "Room", ask: Ask, fitting: list[int]) -> bool:
    return not ask.count or (len(fitting) >= ask.count and choose_cards(room, ask, fitting) != 0)


def _allowed(rooms: Rooms, ask: Ask) -> Iterator[tuple[int, int]]:
    for node, room in rooms.items():
        for at, card in enumerate(room.spec.cards):
            if ask.allows(card.model):
                yield node, at


def _most(rooms: Rooms, found: Iterable[tuple[int, int, int]]) -> Most:
    def order(one: tuple[int, int, int]) -> tuple[int, int, int]:
        amount, node, card = one
        return amount, -rooms[node].rank, -card

    return Most(*max(found, key=order, default=(0, -1, -1)))


def _held(room: "Room", card: int) -> int:
    whole = room.spec.cards[card].mib
    memory = (whole - int(room.mib[card])) * WHOLE // whole if whole else 0
    return WHOLE - int(room.milli[card]) + memory

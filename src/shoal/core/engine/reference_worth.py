"""Worth and reserves in plain Python: the oracle of ``worth.c`` and ``reserve.c``."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from shoal.core.engine.reserves import Reserve
from shoal.core.engine.spec import Ask, CardFlag, Work
from shoal.core.engine.worth import (
    WORTH_COLUMNS,
    WORTH_MCPU,
    WORTH_MILLI,
    WORTH_ROWS,
    WORTH_UNIT,
)
from shoal.units.gpu import WHOLE

if TYPE_CHECKING:
    from shoal.core.engine.reference import Room

_QUARTER: Final = 250
_QUARTERS: Final = (WORTH_COLUMNS - 1) * WORTH_MCPU // _QUARTER + 1
_NOTHING_COMES: Final = 0.02
_FRACTION, _NEVER_PERCENT = 1024, 3


def prior(works: Sequence[Work]) -> list[int]:
    """The table of worths in closed form, row after row."""
    cards = [work for work in works if work.ask.count]
    total = sum(work.weight for work in cards)
    visitors = [
        (
            _rounded_up(work.ask.milli, WORTH_MILLI),
            _rounded_up(_rounded_up(work.ask.cpu, work.ask.count), _QUARTER),
            work.weight / total,
        )
        for work in cards
        if work.ask.milli
    ]
    idle = [[0.0] * _QUARTERS]
    for row in range(1, WORTH_ROWS):
        idle.append([_expected(idle, visitors, row, quarter) for quarter in range(_QUARTERS)])
    step = WORTH_MCPU // _QUARTER
    return [int(row[column * step] * WORTH_UNIT) for row in idle for column in range(WORTH_COLUMNS)]


def _expected(
    idle: list[list[float]], visitors: list[tuple[int, int, float]], row: int, quarter: int
) -> float:
    total, weight = _NOTHING_COMES * row * WORTH_MILLI, _NOTHING_COMES
    for rows, quarters, part in visitors:
        if rows <= row and quarters <= quarter:
            total += part * idle[row - rows][quarter - quarters]
            weight += part
    return total / weight


def residues(room: "Room") -> list[int]:
    """What can still be had of each card, in milli: the lesser of compute and memory."""
    return [_residue(room, at) for at in range(len(room.spec.cards))]


def _residue(room: "Room", at: int) -> int:
    card, milli, mib = room.spec.cards[at], int(room.milli[at]), int(room.mib[at])
    if CardFlag.UNHEALTHY in card.flags or milli < 0 or mib < 0:
        return 0
    return min(milli, mib * WHOLE // card.mib) if card.mib else milli


def idle_in(table: Sequence[int], cpu: int, residues: Sequence[int]) -> int:
    """The expected idle of a node's cards, in 1/64 milli."""
    slice_of_milli = (max(cpu, 0) << 16) // (sum(residues) or 1)
    return sum(_worth(table, each, slice_of_milli * each >> 16) for each in residues if each)


def _worth(table: Sequence[int], residue: int, mcpu: int) -> int:
    start = residue // WORTH_MILLI * WORTH_COLUMNS
    column, beyond = divmod(mcpu, WORTH_MCPU)
    if column >= WORTH_COLUMNS - 1:
        return table[start + WORTH_COLUMNS - 1]
    low, high = table[start + column], table[start + column + 1]
    return (low * (WORTH_MCPU - beyond) + high * beyond) // WORTH_MCPU


def tight_reserves(
    reserves: Iterable[Reserve], rooms: Mapping[int, "Room"], residues: Mapping[int, list[int]]
) -> list[Reserve]:
    """The reserves that what is expected would use up, looked at anew."""
    most = sum(len(room.spec.cards) for room in rooms.values()) * WHOLE
    usable = sum(map(sum, residues.values())) - most * _NEVER_PERCENT // 100
    return [
        reserve
        for reserve in reserves
        if _used_up(reserve, usable, _there(reserve, rooms, residues))
    ]


def pressures(reserves: Iterable[Reserve], rooms: Mapping[int, "Room"]) -> dict[int, int]:
    """By model: the part of what is asked that is for it, by the part of the cards that it is."""
    cards_of = Counter[int]()
    for room in rooms.values():
        if room.spec.cards:
            cards_of[room.spec.cards[0].model] += len(room.spec.cards)
    found = Counter[int]()
    for reserve in reserves:
        among = reserve.models or frozenset()
        cards = sum(cards_of[model] for model in among)
        if not reserve.alone or not cards:
            continue
        pressure = reserve.alone * 100_000 // reserve.demand_of * cards_of.total() // cards
        found.update(dict.fromkeys(among, pressure))
    return {model: pressure // 1000 for model, pressure in found.items()}


def fine_of(tight: Iterable[Reserve], before: "Room", after: "Room") -> int:
    """What a place costs by tight reserves that are not for what is placed."""
    left, then = residues(before), residues(after)
    return sum(
        max(rooms_in(reserve, before, left) - rooms_in(reserve, after, then), 0) * reserve.fine
        for reserve in tight
    )


def is_for(reserve: Reserve, ask: Ask, models: int) -> bool:
    """Whether the ask is one that the reserve is kept for."""
    if reserve.count:
        hard = ask.count >= reserve.count and ask.milli >= reserve.milli
        return hard and ask.cpu >= reserve.cpu
    if reserve.cpu:
        return not ask.count and ask.cpu >= reserve.cpu
    among = reserve.models or frozenset()
    return all(model in among for model in range(models) if ask.allows(model))


def rooms_in(reserve: Reserve, room: "Room", residues: list[int]) -> int:
    """What a node has of a reserve: rooms, or milli-card of its models."""
    cards = room.spec.cards
    if reserve.cpu and not reserve.count:
        return max(room.cpu, 0) // reserve.cpu
    if not cards or not (reserve.models is None or cards[0].model in reserve.models):
        return 0
    if not reserve.count:
        return sum(residues)
    fitting = sum(each >= reserve.milli for each in residues) // reserve.count
    by_cpu = max(room.cpu, 0) // reserve.cpu if reserve.cpu else fitting
    return min(fitting, by_cpu)


def _there(reserve: Reserve, rooms: Mapping[int, "Room"], residues: Mapping[int, list[int]]) -> int:
    return sum(rooms_in(reserve, room, residues[node]) for node, room in rooms.items())


def _used_up(reserve: Reserve, usable: int, there: int) -> bool:
    if usable <= 0 or there <= 0 or not reserve.demand:
        return False
    unit = 1 if reserve.count or reserve.cpu else WHOLE
    expected = usable * reserve.demand // reserve.demand_of * _FRACTION // unit
    beyond = there * _FRACTION // unit - expected
    return beyond <= 0 or (beyond // reserve.spreads) ** 2 <= expected * _FRACTION


def _rounded_up(value: int, by: int) -> int:
    return -(-value // by)

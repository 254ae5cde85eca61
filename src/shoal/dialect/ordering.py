"""The order of a list after a strategic merge patch."""

from collections.abc import Sequence

from shoal.dialect.document import Json


def ordered(
    items: Sequence[Json], order: Sequence[Json], live: Sequence[Json], key: str = ""
) -> list[Json]:
    """The items that ``order`` names in its order, the others in the order of the ``live`` list.

    One of the others stands before the first of the named that it precedes in the live list; a
    named item without a place there is passed over first. Items are told apart by their field
    ``key``, or as they are without one.
    """
    rank, place = _places(order, key), _places(live, key)
    named = sorted((i for i in items if _of(i, key) in rank), key=lambda item: rank[_of(item, key)])
    others = [item for item in items if _of(item, key) not in rank]
    others.sort(key=lambda item: place.get(_of(item, key), len(place)))
    result: list[Json] = []
    told = 0
    for item in named:
        before = place.get(_of(item, key), -1)
        while told < len(others) and place.get(_of(others[told], key), before) < before:
            result.append(others[told])
            told += 1
        result.append(item)
    return result + others[told:]


def _places(items: Sequence[Json], key: str) -> dict[Json, int]:
    places: dict[Json, int] = {}
    for place, item in enumerate(items):
        places.setdefault(_of(item, key), place)
    return places


def _of(item: Json, key: str) -> Json:
    if not key:
        return item
    value = item.get(key) if isinstance(item, dict) else None
    return value if isinstance(value, str | int) else None

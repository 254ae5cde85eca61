"""Keys that a JSON text gives twice: of those the last counts, and the others are told.

A decoder keeps one of each, so a text with duplicates has more keys than what was decoded from it.
Counting is cheap; only where the counts differ is the text read again with an eye on its keys.
"""

import json
from collections.abc import Iterator
from typing import Final

from shoal.dialect.document import Json

_KEY_END: Final = b'":'


def duplicates(body: bytes, decoded: Json) -> list[str]:
    """Paths of the keys that the text gives more than once: ``spec.containers[0].image``."""
    try:
        if body.count(_KEY_END) == _count(decoded):
            return []
        read = json.loads(body, object_pairs_hook=_Pairs)
        return [path.removeprefix(".") for path in _repeated(read)]
    except (ValueError, RecursionError):
        return []


class _Pairs(list[tuple[str, Json]]):
    """An object as its keys and values came."""


def _count(value: Json) -> int:
    """How many keys there are, at any depth."""
    if type(value) is dict:
        found = len(value)
        for inside in value.values():
            if type(inside) is dict or type(inside) is list:
                found += _count(inside)
        return found
    if type(value) is list:
        return sum([_count(item) for item in value if type(item) is dict or type(item) is list])
    return 0


def _repeated(value: Json) -> Iterator[str]:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, inside in value:
            if key in seen:
                yield f".{key}"
            seen.add(key)
            for path in _repeated(inside):
                yield f".{key}{path}"
    elif isinstance(value, list):
        for index, item in enumerate(value):
            for path in _repeated(item):
                yield f"[{index}]{path}"

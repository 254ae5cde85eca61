"""Keys that a JSON text gives twice: of those the last counts, and the others are told.

A decoder keeps one of each, so a text with duplicates has more keys than what was decoded from it
has when it is written again. Counting is cheap; only where the counts differ is the text read once
more with an eye on its keys.
"""

import json
from collections.abc import Iterator
from typing import Final

import msgspec

from shoal.dialect.document import Json

_encode: Final = msgspec.json.Encoder().encode
_KEY_END: Final = b'":'


def duplicates(body: bytes, decoded: Json) -> list[str]:
    """Paths of the keys that the text gives more than once: ``spec.containers[0].image``."""
    try:
        if body.count(_KEY_END) == _encode(decoded).count(_KEY_END):
            return []
        read = json.loads(body, object_pairs_hook=_Pairs)
        return [path.removeprefix(".") for path in _repeated(read)]
    except (ValueError, RecursionError):
        return []


class _Pairs(list[tuple[str, Json]]):
    """An object as its keys and values came."""


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

"""Functions of texts."""

import functools
from collections.abc import Callable
from typing import Final

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.formatting import formatted
from shoal.dialect.cel.function import Functions, plain, taking
from shoal.dialect.cel.values import Steps, Value, equal, kind_of
from shoal.dialect.structural.patterns import PatternError, expression

_MOST_FOUND: Final = 1 << 31


def _read(text: str) -> Value:
    """A pattern, compiled. Raises CelError."""
    try:
        return expression(text)
    except PatternError as error:
        raise CelError(str(error)) from error


def _matches(value: str, text: str, steps: Steps) -> bool:
    return _read(text).search(value) is not None


def _find(value: str, text: str, steps: Steps) -> str:
    found = _read(text).search(value)
    return "" if found is None else str(found.group(0))


def _find_all(value: str, text: str, most: int, steps: Steps) -> list[str]:
    parts: list[str] = []
    for found in _read(text).finditer(value):
        if 0 <= most <= len(parts):
            break
        steps.spend()
        parts.append(found.group(0))
    return parts


def _split(value: str, separator: str, most: int, steps: Steps) -> list[str]:
    """At most so many parts, the rest in the last one; all of them where that is negative."""
    if most == 0:
        return []
    if separator:
        steps.spend(value.count(separator))
        return value.split(separator, most - 1 if most > 0 else -1)
    steps.spend(len(value))
    parts = list(value)
    return parts if not 0 < most < len(parts) else [*parts[: most - 1], "".join(parts[most - 1 :])]


def _substring(value: str, start: int, end: int, steps: Steps) -> str:
    if not 0 <= start <= end <= len(value):
        raise CelError(f"{start} to {end} is out of a text of {len(value)} letters")
    return value[start:end]


def _char_at(value: str, at: int, steps: Steps) -> str:
    if not 0 <= at <= len(value):
        raise CelError(f"{at} is out of a text of {len(value)} letters")
    return value[at : at + 1]


def _replace(value: str, old: str, new: str, most: int, steps: Steps) -> str:
    steps.spend(value.count(old) * max(len(new), 1) // 8 if new else 0)
    return value.replace(old, new, most if most >= 0 else -1)


def _position(value: Value, part: Value, steps: Steps, *, last: bool) -> int:
    if isinstance(value, list):
        found = [index for index, item in enumerate(value) if equal(item, part, steps)]
        return found[-1 if last else 0] if found else -1
    if not isinstance(part, str):
        raise CelError(f"a string is needed, not a {kind_of(part)}")
    return int(value.rfind(part) if last else value.find(part))


def _position_from(value: str, part: str, start: int, steps: Steps) -> int:
    if not 0 <= start <= len(value):
        raise CelError(f"{start} is out of a text of {len(value)} letters")
    return value.find(part, start)


def _same(function: Callable[[str], str]) -> Value:
    return taking("string", "string", plain(function))


def _says(function: Callable[[str, str], bool]) -> Value:
    return taking("string string", "bool", plain(function))


METHODS: Final[Functions] = {
    ("charAt", 2): taking("string int", "string", _char_at),
    ("contains", 2): _says(lambda text, part: part in text),
    ("endsWith", 2): _says(str.endswith),
    ("find", 2): taking("string string", "string", _find),
    ("findAll", 2): taking(
        "string string",
        "list:string",
        lambda value, text, steps: _find_all(value, text, _MOST_FOUND, steps),
    ),
    ("findAll", 3): taking("string string int", "list:string", _find_all),
    ("format", 2): taking("string list", "string", formatted),
    ("indexOf", 2): taking("string|list any", "int", functools.partial(_position, last=False)),
    ("indexOf", 3): taking("string string int", "int", _position_from),
    ("lastIndexOf", 2): taking("string|list any", "int", functools.partial(_position, last=True)),
    ("lowerAscii", 1): _same(str.lower),
    ("matches", 2): taking("string string", "bool", _matches),
    ("replace", 3): taking(
        "string string string",
        "string",
        lambda value, old, new, steps: _replace(value, old, new, -1, steps),
    ),
    ("replace", 4): taking("string string string int", "string", _replace),
    ("split", 2): taking(
        "string string",
        "list:string",
        lambda value, separator, steps: _split(value, separator, -1, steps),
    ),
    ("split", 3): taking("string string int", "list:string", _split),
    ("startsWith", 2): _says(str.startswith),
    ("substring", 2): taking(
        "string int",
        "string",
        lambda value, start, steps: _substring(value, start, len(value), steps),
    ),
    ("substring", 3): taking("string int int", "string", _substring),
    ("trim", 1): _same(str.strip),
    ("upperAscii", 1): _same(str.upper),
}
FUNCTIONS: Final[Functions] = {("matches", 2): METHODS["matches", 2]}

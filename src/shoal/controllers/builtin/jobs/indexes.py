"""Sets of completion indexes as texts: ``0-2,5``."""

from collections.abc import Iterable, Iterator


def parse_indexes(text: str) -> frozenset[int]:
    """The indexes of a text; what is no number is left out, since others may write it too."""
    return frozenset(index for part in text.split(",") for index in _parse_part(part.strip()))


def format_indexes(indexes: Iterable[int]) -> str:
    """The shortest text of a set; two neighbours are told one by one."""
    return ",".join(_format_part(first, last) for first, last in _runs(sorted(set(indexes))))


def _parse_part(part: str) -> Iterable[int]:
    first, dash, last = part.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        return ()
    return range(int(first), int(last if dash else first) + 1)


def _runs(indexes: list[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of neighbours."""
    first = 0
    for at, index in enumerate(indexes):
        if at + 1 == len(indexes) or indexes[at + 1] != index + 1:
            yield indexes[first], index
            first = at + 1


def _format_part(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first}{',' if last == first + 1 else '-'}{last}"

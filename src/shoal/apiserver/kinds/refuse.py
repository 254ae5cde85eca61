"""Refusing an object for what its fields hold."""

from collections.abc import Iterable, Iterator, Mapping

from shoal.dialect.document import Document, Json
from shoal.dialect.status import FORBIDDEN, INVALID, NOT_SUPPORTED, Cause, invalid


def refuse(group: str, kind: str, document: Document, causes: Iterable[Cause]) -> None:
    """Raise StatusError 422 where there are causes."""
    found = list(causes)
    if found:
        raise invalid(group, kind, document["metadata"].get("name", ""), found)


def changed(new: Document, old: Document, fields: Iterable[str]) -> list[Cause]:
    """A cause for each top-level field that may not change and did."""
    return [
        Cause(FORBIDDEN, "field is immutable", field)
        for field in fields
        if new.get(field) != old.get(field)
    ]


def not_supported(value: Json, allowed: tuple[str, ...], at: str) -> Iterator[Cause]:
    """A cause where a field holds none of the words that it takes."""
    if value not in allowed:
        yield Cause(NOT_SUPPORTED, f"{value!r} is not one of {', '.join(allowed)}", at)


def negative(amounts: Mapping[str, Json] | None, at: str) -> Iterator[Cause]:
    """A cause for each amount by name, in its one way of writing, that is less than nothing."""
    for name, amount in (amounts or {}).items():
        if str(amount).startswith("-"):
            yield Cause(INVALID, "must be 0 or more", f"{at}[{name}]")

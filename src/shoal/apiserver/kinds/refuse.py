"""Refusing an object for what its fields hold."""

from collections.abc import Iterable

from shoal.dialect.document import Document
from shoal.dialect.status import FORBIDDEN, Cause, invalid


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

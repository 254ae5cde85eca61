"""One compiled schema, for the objects of one version of a custom kind."""

from collections.abc import Sequence
from typing import Final

import msgspec

from shoal.dialect.document import Document
from shoal.dialect.status import (
    INVALID,
    NOT_SUPPORTED,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    TYPE_INVALID,
    Cause,
)
from shoal.dialect.structural.checks import checker
from shoal.dialect.structural.defaults import completer
from shoal.dialect.structural.prune import object_pruner
from shoal.dialect.structural.rules import Ruling, ruler

_BLOCKING: Final = frozenset({NOT_SUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID})
_NOWHERE: Final = "<nil>"


class Structure:
    """What a schema does to objects. Raises RuleError for an expression that cannot be used."""

    def __init__(self, schema: Document) -> None:
        self._complete: Final = completer(schema)
        self._prune: Final = object_pruner(schema)
        self._check: Final = checker(schema)
        self._rule: Final = ruler(schema)

    def complete(self, document: Document) -> None:
        """Fill defaults in place; a null where none may be takes the default or goes."""
        if self._complete is not None:
            self._complete(document)

    def prune(self, document: Document) -> list[str]:
        """Drop in place what the schema does not name; the paths of it, in order."""
        unknown: list[str] = []
        self._prune(document, "", unknown)
        return sorted(unknown)

    def causes(
        self, document: Document, old: Document | None = None, metadata: Sequence[Cause] = ()
    ) -> list[Cause]:
        """What is wrong with an object, after what is wrong with its metadata.

        What was wrong in the same way in ``old``, and did not change, is let be.
        """
        return list(map(_placed, self._causes(document, old, metadata)))

    def _causes(
        self, document: Document, old: Document | None, metadata: Sequence[Cause]
    ) -> list[Cause]:
        found = [*metadata, *self._value_causes(document, old)]
        if self._rule is None:
            return found
        if any(cause.reason in _BLOCKING for cause in found):
            told = "rules were not looked at, since the object is wrong otherwise; mend that first"
            return [*found, Cause(INVALID, told, _NOWHERE)]
        ruling = Ruling()
        self._rule(document, old, "", ruling)
        return found + ruling.causes

    def _value_causes(self, document: Document, old: Document | None) -> list[Cause]:
        found: list[Cause] = []
        self._check(document, "", found)
        if not found or old is None:
            return found
        before: list[Cause] = []
        self._check(old, "", before)
        known = set(before)
        return [
            cause
            for cause in found
            if cause not in known or _at(document, cause.field) != _at(old, cause.field)
        ]


def _placed(cause: Cause) -> Cause:
    """What is wrong with an object as a whole has no place."""
    return cause if cause.field else msgspec.structs.replace(cause, field=_NOWHERE)


def _at(document: Document, path: str) -> object:
    """The value that a cause is about; the object itself where the path cannot be followed."""
    value: object = document
    for step in path.replace("[", ".[").split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step[1:-1].isdigit() and int(step[1:-1]) < len(value):
            value = value[int(step[1:-1])]
        else:
            return value
    return value

"""``allOf``, ``anyOf``, ``oneOf`` and ``not``: values that several schemas speak of."""

from collections.abc import Callable, Sequence

from shoal.dialect.document import Document, Json
from shoal.dialect.status import INVALID, Cause
from shoal.dialect.structural.types import Check

Checker = Callable[[Document], Check]


def junctor_checks(schema: Document, checker: Checker) -> list[Check]:
    """The checks of a schema's junctors; ``checker`` compiles the schemas in them."""
    checks: list[Check] = []
    for junctor, make in (("allOf", _all_of), ("anyOf", _any_of), ("oneOf", _one_of)):
        if parts := schema.get(junctor):
            checks.append(make([checker(part) for part in parts]))
    if isinstance(refused := schema.get("not"), dict):
        checks.append(_not(checker(refused)))
    return checks


def _all_of(parts: Sequence[Check]) -> Check:
    def check(value: Json, path: str, causes: list[Cause]) -> None:
        for part in parts:
            part(value, path, causes)

    return check


def _any_of(parts: Sequence[Check]) -> Check:
    def check(value: Json, path: str, causes: list[Cause]) -> None:
        results = [_told(part, value, path) for part in parts]
        if all(results):
            causes.append(Cause(INVALID, "fits none of the shapes that it may have", path))
            causes.extend(sorted(results, key=len)[0])

    return check


def _one_of(parts: Sequence[Check]) -> Check:
    def check(value: Json, path: str, causes: list[Cause]) -> None:
        results = [_told(part, value, path) for part in parts]
        fitting = results.count([])
        if fitting != 1:
            told = f"fits {fitting} of the shapes that it may have, and must fit exactly one"
            causes.append(Cause(INVALID, told, path))
            causes.extend(sorted(results, key=len)[0])

    return check


def _not(refused: Check) -> Check:
    def check(value: Json, path: str, causes: list[Cause]) -> None:
        if not _told(refused, value, path):
            causes.append(Cause(INVALID, "has a shape that it may not have", path))

    return check


def _told(check: Check, value: Json, path: str) -> list[Cause]:
    causes: list[Cause] = []
    check(value, path, causes)
    return causes

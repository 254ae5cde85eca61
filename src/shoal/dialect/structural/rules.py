"""``x-kubernetes-validations``: expressions over a value, and over what it was before."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from shoal.dialect.document import Document, Json
from shoal.dialect.status import INVALID, Cause
from shoal.dialect.structural.types import below
from shoal.dialect.structural.views import View, viewer

RULES: Final = "x-kubernetes-validations"
_MESSAGE: Final = "messageExpression"
_OPTIONAL: Final = "optionalOldSelf"
_SELF: Final = ("self", "oldSelf")


class RuleError(Exception):
    """A rule that cannot be used: one sentence, about the expression in one of its fields."""

    def __init__(self, told: str, field: str = "rule") -> None:
        super().__init__(told)
        self.field: Final = field


class Ruling:
    """What the rules said of one object, and the steps that they have left."""

    def __init__(self) -> None:
        from shoal.dialect.cel.values import Steps

        self.causes: list[Cause] = []
        self.steps = Steps()


Walk = Callable[[Json, Json, str, Ruling], None]
"""Apply the rules of a schema to a value, what it was (None: nothing), and its path."""


class _Rule(msgspec.Struct, frozen=True):
    text: str
    holds: Callable[[Any], Any]
    on_change: bool
    """Whether it is only about a value that was there before."""
    optional: bool
    """Whether what the value was before is an optional value."""
    told: Callable[[Any], str]
    reason: str
    field: str


def ruler(schema: Document) -> Walk | None:
    """The rules of a schema and of the schemas in it; None without any. Raises RuleError."""
    rules = [_compiled(rule) for rule in schema.get(RULES) or ()]
    inside = [walk for walk in (_fields(schema), _items(schema)) if walk is not None]
    if not rules and not inside:
        return None
    view = viewer(schema) if rules else None

    def walk(value: Json, old: Json, path: str, ruling: Ruling) -> None:
        if value is None:
            return
        for rule in rules:
            if old is not None or not rule.on_change:
                _apply(rule, _names(rule, view, value, old), path, ruling)
        for one in inside:
            one(value, old, path, ruling)

    return walk


def rule_checker(schema: Document, *, whole: bool) -> Callable[[Json], None]:
    """Tries rules on the types of a schema, ``whole`` where that is of whole objects.

    Raises RuleError for one that is not evaluated as its writer means it, or never has a value.
    """
    from shoal.dialect.cel.checking import check_types
    from shoal.dialect.cel.types import BOOL, STRING, optional_of
    from shoal.dialect.structural.declared import declared

    value = declared(schema, whole=whole)

    def check(rule: Json) -> None:
        _compiled(rule)
        before = optional_of(value) if rule.get(_OPTIONAL) else value
        names = {"self": value, "oldSelf": before}
        for field, wanted in (("rule", BOOL), (_MESSAGE, STRING)):
            if text := rule.get(field):
                with _told_of(text, field):
                    check_types(text, names, wanted)

    return check


@contextlib.contextmanager
def _told_of(text: str, field: str) -> Iterator[None]:
    """What is wrong with an expression is told with it. Raises RuleError."""
    from shoal.dialect.cel.errors import CelSyntaxError

    try:
        yield
    except CelSyntaxError as error:
        raise RuleError(f"the expression {text[:200]!r} {error}", field) from error


def _compiled(rule: Json) -> _Rule:
    from shoal.dialect.cel.program import compiled, mentions

    text, message = rule.get("rule") or "", rule.get("message") or ""
    with _told_of(text, "rule"):
        holds, looks_back = compiled(text, _SELF), mentions(text, "oldSelf")
    optional = bool(rule.get(_OPTIONAL))
    names = _SELF if looks_back or optional else _SELF[:1]
    return _Rule(
        text,
        holds,
        looks_back and not optional,
        optional,
        _message(message or f"failed rule: {text.strip()}", rule.get(_MESSAGE), names),
        rule.get("reason") or INVALID,
        (rule.get("fieldPath") or "").removeprefix("."),
    )


def _message(fixed: str, expression: str | None, names: Sequence[str]) -> Callable[[Any], str]:
    from shoal.dialect.cel.errors import CelError
    from shoal.dialect.cel.program import compiled

    if not expression:
        return lambda scope: fixed
    with _told_of(expression, _MESSAGE):
        run = compiled(expression, names)

    def told(scope: Json) -> str:
        try:
            text = run(scope)
        except CelError:
            return fixed
        return text if isinstance(text, str) and text.strip() else fixed

    return told


def _names(rule: _Rule, view: View | None, value: Json, old: Json) -> Callable[[], dict[str, Any]]:
    def names() -> dict[str, Any]:
        from shoal.dialect.cel.values import NOTHING, Optional

        found = {"self": value if view is None else view(value)}
        if rule.on_change or rule.optional:
            before = old if view is None or old is None else view(old)
            optional = NOTHING if old is None else Optional(before)
            found["oldSelf"] = optional if rule.optional else before
        return found

    return names


def _apply(rule: _Rule, names: Callable[[], dict[str, Any]], path: str, ruling: Ruling) -> None:
    from shoal.dialect.cel.errors import CelError, OutOfSteps
    from shoal.dialect.cel.scope import Scope, truth

    told = ""
    try:
        scope = Scope(names(), ruling.steps)
        if not truth(rule.holds(scope)):
            told = rule.told(scope)
    except (CelError, OutOfSteps) as error:
        told = f"the rule {rule.text[:100]!r} could not be applied: {error}"
    except RecursionError:
        told = f"the rule {rule.text[:100]!r} is nested too deeply"
    if told:
        field = below(path, rule.field) if rule.field else path
        ruling.causes.append(Cause(rule.reason, told, field))


def _fields(schema: Document) -> Walk | None:
    named = _rulers(schema.get("properties") or {})
    further = schema.get("additionalProperties")
    other = ruler(further) if isinstance(further, dict) else None
    if not named and other is None:
        return None

    def walk(value: Json, old: Json, path: str, ruling: Ruling) -> None:
        if not isinstance(value, dict):
            return
        before = old if isinstance(old, dict) else {}
        for name, inside in value.items():
            if (one := named.get(name)) is not None:
                one(inside, before.get(name), below(path, name), ruling)
            elif other is not None:
                other(inside, before.get(name), f"{path}[{name}]", ruling)

    return walk


def _rulers(properties: Mapping[str, Document]) -> dict[str, Walk]:
    found = ((name, ruler(inside)) for name, inside in properties.items())
    return {name: walk for name, walk in found if walk is not None}


def _items(schema: Document) -> Walk | None:
    items = schema.get("items")
    item = ruler(items) if isinstance(items, dict) else None
    if item is None:
        return None
    keys: Sequence[str] = schema.get("x-kubernetes-list-map-keys") or ()

    def walk(value: Json, old: Json, path: str, ruling: Ruling) -> None:
        if not isinstance(value, list):
            return
        before = {_identity(one, keys): one for one in old or ()} if keys else {}
        for index, inside in enumerate(value):
            item(inside, before.get(_identity(inside, keys)), f"{path}[{index}]", ruling)

    return walk


def _identity(item: Json, keys: Sequence[str]) -> str:
    return repr([item.get(key) for key in keys]) if isinstance(item, dict) else ""

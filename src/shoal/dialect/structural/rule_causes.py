"""What is wrong with the rules of a schema, before any object is held against them."""

import re
from collections.abc import Iterator
from typing import Final

from shoal.dialect.document import Document, Json
from shoal.dialect.status import DUPLICATE, FORBIDDEN, INVALID, NOT_SUPPORTED, REQUIRED, Cause
from shoal.dialect.structural.rules import RULES, RuleError, rule_checker

_REASONS: Final = (INVALID, FORBIDDEN, REQUIRED, DUPLICATE)
_STEP: Final = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\['([^']+)'\]", re.ASCII)


def rule_causes(schema: Document, path: str, *, whole: bool) -> Iterator[Cause]:
    """Causes to refuse the rules of one schema, ``whole`` where that is of whole objects."""
    rules = schema.get(RULES) or ()
    if not rules:
        return
    check = rule_checker(schema, whole=whole)
    for index, rule in enumerate(rules):
        at = f"{path}.{RULES}[{index}]"
        yield from _told_causes(rule, at)
        if not _leads(schema, rule.get("fieldPath") or ""):
            told = f"{rule['fieldPath'][:100]!r} leads to no field; example: .name"
            yield Cause(INVALID, told, f"{at}.fieldPath")
        if not (rule.get("rule") or "").strip():
            yield Cause(REQUIRED, "must be an expression", f"{at}.rule")
            continue
        try:
            check(rule)
        except RuleError as error:
            yield Cause(INVALID, str(error), f"{at}.{error.field}")


def _told_causes(rule: Document, at: str) -> Iterator[Cause]:
    """What is wrong with that which a broken rule tells."""
    message, reason = rule.get("message"), rule.get("reason")
    if message and not message.strip():
        told = "says nothing; leave it out or say what is wanted"
        yield Cause(REQUIRED, told, f"{at}.message")
    if message and "\n" in message.strip():
        yield Cause(INVALID, "is one line", f"{at}.message")
    if "\n" in (rule.get("rule") or "").strip() and not message:
        yield Cause(REQUIRED, "must be given for a rule of several lines", f"{at}.message")
    if reason is not None and reason not in _REASONS:
        told = f"{reason[:60]!r} is none of {', '.join(_REASONS)}"
        yield Cause(NOT_SUPPORTED, told, f"{at}.reason")


def _leads(schema: Document, field_path: str) -> bool:
    """Whether a path from a value leads to a field that its schema names."""
    at: Json = schema
    end = 0
    for step in _STEP.finditer(field_path):
        if step.start() != end:
            return False
        end = step.end()
        further = at.get("additionalProperties")
        at = (at.get("properties") or {}).get(step[1] or step[2]) or further
        if not isinstance(at, dict):
            return False
    return end == len(field_path)

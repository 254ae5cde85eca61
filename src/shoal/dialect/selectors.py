"""Label and field selectors: texts such as ``app=web,tier in (a, b),!old`` to matchers.

Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
"""

import re
from collections.abc import Callable, Collection, Mapping
from enum import Enum

import msgspec

from shoal.dialect.document import Document
from shoal.dialect.names import wrong_label_value, wrong_qualified


class SelectorError(ValueError):
    """A text that is no selector: one sentence with a right example."""


class Operator(Enum):
    """How a requirement compares."""

    IN = "in"
    NOT_IN = "notin"
    EXISTS = "exists"
    ABSENT = "!"
    GREATER = ">"
    LESS = "<"


class Requirement(msgspec.Struct, frozen=True):
    """One comparison of one label or field."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, value: str | None) -> bool:
        """Whether a value (None: the label is not there) satisfies this."""
        match self.operator:
            case Operator.IN:
                return value in self.values
            case Operator.NOT_IN:
                return value not in self.values
            case Operator.EXISTS:
                return value is not None
            case Operator.ABSENT:
                return value is None
        return _compare(value, self.operator, int(next(iter(self.values))))


class Selector(msgspec.Struct, frozen=True):
    """All requirements must hold. Without any it is falsy and matches everything."""

    requirements: tuple[Requirement, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.requirements)

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels, or fields by name, are selected."""
        return all(r.matches(labels.get(r.key)) for r in self.requirements)


EVERYTHING = Selector()


def parse_labels(text: str) -> Selector:
    """A label selector. Raises SelectorError."""
    tokens = _Tokens(text)
    if tokens.at_end():
        return EVERYTHING
    requirements = [_requirement(tokens)]
    while not tokens.at_end():
        tokens.expect(",")
        requirements.append(_requirement(tokens))
    return Selector(tuple(requirements))


def parse_fields(text: str, known: Collection[str]) -> Selector:
    """A field selector over the fields in ``known``. Raises SelectorError."""
    parts = [part for part in re.split(r"(?<!\\),", text) if part]
    return Selector(tuple(_field_requirement(part, known) for part in parts))


def label_selector(selector: Document) -> Selector:
    """The selector in an object, ``{matchLabels, matchExpressions}``. Raises SelectorError."""
    requirements = [
        Requirement(_checked(key), Operator.IN, frozenset({value}))
        for key, value in (selector.get("matchLabels") or {}).items()
    ]
    requirements += map(_expression, selector.get("matchExpressions") or ())
    return Selector(tuple(requirements))


def selector_text(selector: Document) -> str:
    """The same as a text that ``parse_labels`` reads, keys in order; ``<none>`` when empty."""
    parts = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    parts += map(_expression_text, selector.get("matchExpressions") or ())
    return ",".join(sorted(parts)) or "<none>"


_EXPRESSIONS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.ABSENT,
}
_WITH_VALUES = frozenset({Operator.IN, Operator.NOT_IN})


def _expression(expression: Document) -> Requirement:
    key, values = _checked(expression.get("key") or ""), expression.get("values") or ()
    operator = _EXPRESSIONS.get(expression.get("operator") or "")
    if operator is None:
        raise SelectorError(f"the operator for {key} is not one of {', '.join(_EXPRESSIONS)}")
    if bool(values) != (operator in _WITH_VALUES):
        takes = "takes values" if operator in _WITH_VALUES else "takes no values"
        raise SelectorError(f"{expression['operator']} {takes}; it stands for {key}")
    return Requirement(key, operator, frozenset(values))


def _expression_text(expression: Document) -> str:
    key, values = expression.get("key", ""), ",".join(sorted(expression.get("values") or ()))
    operator = _EXPRESSIONS.get(expression.get("operator") or "")
    if operator is Operator.EXISTS:
        return str(key)
    if operator is Operator.ABSENT:
        return f"!{key}"
    return f"{key} {'in' if operator is Operator.IN else 'notin'} ({values})"


def _checked(key: str) -> str:
    if wrong := wrong_qualified(key):
        raise SelectorError(f"{wrong}; {_EXAMPLE}")
    return key


_FIELD = re.compile(r"([^=!]+?)(!=|==|=)(.*)\Z", re.DOTALL)
_EXAMPLE = "example: app=web,tier in (front, back),!old"


def _field_requirement(part: str, known: Collection[str]) -> Requirement:
    match = _FIELD.match(part)
    if match is None:
        raise SelectorError(f"{part!r} is no field selector; example: metadata.name=my-name")
    key, operator, value = match.groups()
    if key not in known:
        names = ", ".join(sorted(known))
        raise SelectorError(f"field label not supported: {key}; supported here: {names}")
    plain = re.sub(r"\\([\\,=])", r"\1", value)
    negative = operator == "!="
    return Requirement(key, Operator.NOT_IN if negative else Operator.IN, frozenset({plain}))


_TOKEN = re.compile(r"\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+)")


class _Tokens:
    """The tokens of a label selector, read from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _TOKEN.findall(text)
        self._next = 0

    def at_end(self) -> bool:
        return self._next >= len(self._tokens)

    def peek(self) -> str:
        return "" if self.at_end() else self._tokens[self._next]

    def take(self) -> str:
        token = self.peek()
        self._next += 1
        return token

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise self.wrong()

    def wrong(self) -> SelectorError:
        return SelectorError(f"{self._text!r} is no label selector; {_EXAMPLE}")


_PUNCTUATION = frozenset({"", "==", "!=", "=", "!", "<", ">", "(", ")", ","})


def _requirement(tokens: _Tokens) -> Requirement:
    if tokens.peek() == "!":
        tokens.take()
        return Requirement(_key(tokens), Operator.ABSENT)
    key = _key(tokens)
    sign = tokens.peek()
    if sign in ("", ","):
        return Requirement(key, Operator.EXISTS)
    return _OPERATORS.get(sign, _no_operator)(tokens, key)


def _key(tokens: _Tokens) -> str:
    key = tokens.take()
    if key in _PUNCTUATION:
        raise tokens.wrong()
    if wrong := wrong_qualified(key):
        raise SelectorError(f"{wrong}; {_EXAMPLE}")
    return key


def _no_operator(tokens: _Tokens, key: str) -> Requirement:
    raise tokens.wrong()


def _equals(tokens: _Tokens, key: str) -> Requirement:
    operator = Operator.NOT_IN if tokens.take() == "!=" else Operator.IN
    return Requirement(key, operator, frozenset({_value(tokens)}))


def _ordered(tokens: _Tokens, key: str) -> Requirement:
    operator = Operator(tokens.take())
    value = tokens.take()
    if _integer(value) is None:
        raise SelectorError(f"{key}{operator.value}{value}: not a whole number; example: n>3")
    return Requirement(key, operator, frozenset({value}))


def _set_based(tokens: _Tokens, key: str) -> Requirement:
    operator = Operator(tokens.take())
    tokens.expect("(")
    values = [_value(tokens)]
    while tokens.peek() == ",":
        tokens.take()
        values.append(_value(tokens))
    tokens.expect(")")
    return Requirement(key, operator, frozenset(values))


_OPERATORS: dict[str, Callable[[_Tokens, str], Requirement]] = {
    "=": _equals,
    "==": _equals,
    "!=": _equals,
    ">": _ordered,
    "<": _ordered,
    "in": _set_based,
    "notin": _set_based,
}


def _value(tokens: _Tokens) -> str:
    """A value; empty where the next token already ends it."""
    if tokens.peek() in ("", ",", ")"):
        return ""
    value = tokens.take()
    if value in _PUNCTUATION:
        raise tokens.wrong()
    if wrong := wrong_label_value(value):
        raise SelectorError(f"{wrong}; {_EXAMPLE}")
    return value


def _compare(value: str | None, operator: Operator, bound: int) -> bool:
    number = None if value is None else _integer(value)
    if number is None:
        return False
    return number > bound if operator is Operator.GREATER else number < bound


def _integer(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None

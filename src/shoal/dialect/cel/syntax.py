"""Tokens to a tree. Operators are calls of their own signs."""

from typing import Any, Final, TypeAlias

import msgspec

from shoal.dialect.cel.errors import CelSyntaxError
from shoal.dialect.cel.tokens import Token, tokens

_DEEPEST: Final = 50
_LEVELS: Final = (
    ("||",),
    ("&&",),
    ("==", "!=", "<", "<=", ">", ">=", "in"),
    ("+", "-"),
    ("*", "/", "%"),
)


class Literal(msgspec.Struct, frozen=True):
    """A value as written."""

    value: Any


class Name(msgspec.Struct, frozen=True):
    """A variable."""

    name: str


class Select(msgspec.Struct, frozen=True):
    """A field of an object; where it may be missing, as an optional value."""

    target: "Node"
    field: str
    optional: bool = False


class Call(msgspec.Struct, frozen=True):
    """An operator, a function, or with a target a function of that."""

    name: str
    args: tuple["Node", ...]
    target: "Node | None" = None


class ListOf(msgspec.Struct, frozen=True):
    """``[a, b]``."""

    items: tuple["Node", ...]


class MapOf(msgspec.Struct, frozen=True):
    """``{a: b}``."""

    entries: tuple[tuple["Node", "Node"], ...]


Node: TypeAlias = Literal | Name | Select | Call | ListOf | MapOf


def parse(text: str) -> Node:
    """The tree of an expression. Raises CelSyntaxError."""
    parser = _Parser(text)
    node = parser.expression()
    parser.expect("end", "")
    return node


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tuple(tokens(text))
        self._at = 0
        self._depth = 0

    def expression(self) -> Node:
        """A choice, or what binds tighter."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise CelSyntaxError(f"is nested more than {_DEEPEST} deep")
        node = self._binary(0)
        if self._take("?"):
            then = self.expression()
            self.expect("mark", ":")
            node = Call("?:", (node, then, self.expression()))
        self._depth -= 1
        return node

    def expect(self, kind: str, value: str) -> Token:
        """The next token, which must be this one; any of its kind where ``value`` is empty."""
        token = self._tokens[self._at]
        if token.kind != kind or (value and token.value != value):
            raise self._unexpected(token)
        self._at += 1
        return token

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        node = self._binary(level + 1)
        while (sign := self._sign(_LEVELS[level])) is not None:
            node = Call(sign, (node, self._binary(level + 1)))
        return node

    def _sign(self, signs: tuple[str, ...]) -> str | None:
        token = self._tokens[self._at]
        if token.kind in ("mark", "name") and token.value in signs:
            self._at += 1
            return str(token.value)
        return None

    def _unary(self) -> Node:
        signs: list[str] = []
        while (sign := self._sign(("!", "-"))) is not None:
            signs.append(sign)
        node = self._member()
        for sign in reversed(signs):
            node = Call("!" if sign == "!" else "negate", (node,))
        return node

    def _member(self) -> Node:
        node = self._primary()
        while True:
            if self._take("."):
                optional = self._take("?")
                name = str(self.expect("name", "").value)
                if not optional and self._take("("):
                    node = Call(name, self._items(")"), node)
                else:
                    node = Select(node, name, optional)
            elif self._take("["):
                sign = "[?]" if self._take("?") else "[]"
                node = Call(sign, (node, self.expression()))
                self.expect("mark", "]")
            else:
                return node

    def _primary(self) -> Node:
        token = self._tokens[self._at]
        self._at += 1
        if token.kind == "literal":
            return Literal(token.value)
        if token.kind == "name":
            name = str(token.value)
            return Call(name, self._items(")")) if self._take("(") else Name(name)
        match token.value:
            case "(":
                node = self.expression()
                self.expect("mark", ")")
                return node
            case "[":
                return ListOf(self._items("]"))
            case "{":
                return self._map()
        raise self._unexpected(token)

    def _items(self, end: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self._take(end):
            items.append(self.expression())
            if not self._take(","):
                self.expect("mark", end)
                break
        return tuple(items)

    def _map(self) -> Node:
        entries: list[tuple[Node, Node]] = []
        while not self._take("}"):
            key = self.expression()
            self.expect("mark", ":")
            entries.append((key, self.expression()))
            if not self._take(","):
                self.expect("mark", "}")
                break
        return MapOf(tuple(entries))

    def _take(self, mark: str) -> bool:
        token = self._tokens[self._at]
        if token.kind == "mark" and token.value == mark:
            self._at += 1
            return True
        return False

    def _unexpected(self, token: Token) -> CelSyntaxError:
        rest = self._text[token.at : token.at + 20]
        return CelSyntaxError(f"cannot be read at {rest!r}" if rest else "ends too early")

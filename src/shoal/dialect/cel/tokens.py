"""Text to tokens."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from shoal.dialect.cel.errors import CelSyntaxError

_TOKEN: Final = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*)+)
    |(?P<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)
    |(?P<unsigned>(?:0x[0-9a-fA-F]+|\d+)[uU])
    |(?P<int>0x[0-9a-fA-F]+|\d+)
    |(?P<text>[rR]?(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''
        |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<mark>\|\||&&|==|!=|<=|>=|[-+*/%!<>?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_RAW_TEXT: Final = re.compile(r"""[rR]?("\"\"|'''|"|')(.*)\1\Z""", re.DOTALL)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))", re.DOTALL
)
_LETTERS: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    **{same: same for same in "\\\"'`?"},
}
_WORDS: Final = {"true": True, "false": False, "null": None}
_MOST_LETTERS: Final = 10 * 1024


class Unsigned(int):
    """A whole number that is written with ``u``; rules do not know these."""


class Token(msgspec.Struct, frozen=True):
    """``kind`` is ``literal``, ``name``, ``mark`` or ``end``."""

    kind: str
    value: Any
    at: int


def tokens(text: str) -> Iterator[Token]:
    """The tokens of an expression, ``end`` last. Raises CelSyntaxError."""
    if len(text) > _MOST_LETTERS:
        raise CelSyntaxError(f"is longer than {_MOST_LETTERS} letters")
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise CelSyntaxError(f"cannot be read at {text[at : at + 20]!r}")
        if match.lastgroup != "space":
            yield _token(match, at)
        at = match.end()
    yield Token("end", "", at)


def _token(match: re.Match[str], at: int) -> Token:
    kind, text = match.lastgroup, match.group(match.lastgroup or 0)
    if kind == "float":
        return Token("literal", float(text), at)
    if kind == "int":
        return Token("literal", int(text, 16 if text[:2] == "0x" else 10), at)
    if kind == "unsigned":
        return Token("literal", Unsigned(text[:-1], 16 if text[:2] == "0x" else 10), at)
    if kind == "text":
        return Token("literal", _text(text), at)
    if kind == "name" and text in _WORDS:
        return Token("literal", _WORDS[text], at)
    return Token(kind or "", text, at)


def _text(quoted: str) -> str:
    match = _RAW_TEXT.match(quoted)
    assert match is not None
    inside = match.group(2)
    return inside if quoted[0] in "rR" else _ESCAPE.sub(_letter, inside)


def _letter(match: re.Match[str]) -> str:
    *codes, octal, letter = match.groups()
    if letter is not None:
        if letter not in _LETTERS:
            raise CelSyntaxError(f"has an escape that means nothing: \\{letter}")
        return _LETTERS[letter]
    code = int(octal, 8) if octal else int(next(code for code in codes if code), 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise CelSyntaxError("has an escape that is no letter")
    return chr(code)

"""Expressions that choose devices: they must be read, and say yes or no.

Only what is certain from the text alone is refused; nothing here runs an expression.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from shoal.dialect.cel.errors import CelSyntaxError
from shoal.dialect.cel.syntax import Call, ListOf, Literal, MapOf, Name, Node, Select, parse
from shoal.dialect.cel.tokens import Unsigned
from shoal.dialect.document import Document
from shoal.dialect.status import INVALID, REQUIRED, TOO_LONG, Cause

_LONGEST: Final = 10 * 1024
_MOST: Final = 32
_DEVICE: Final = {
    "allowMultipleAllocations": "bool",
    "attributes": "map",
    "capacity": "map",
    "driver": "string",
}
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%"})
_TOO_MANY: Final = "FieldValueTooMany"


def selector_causes(selectors: Sequence[Document], at: str) -> Iterator[Cause]:
    """Causes to refuse the selectors of a request or of a class."""
    if len(selectors) > _MOST:
        yield Cause(_TOO_MANY, f"at most {_MOST}", at)
    for index, selector in enumerate(selectors):
        path = f"{at}[{index}].cel"
        if (cel := selector.get("cel")) is None:
            yield Cause(REQUIRED, 'example: {expression: device.driver == "x"}', path)
            continue
        text = cel.get("expression") or ""
        if len(text) > _LONGEST:
            yield Cause(TOO_LONG, f"at most {_LONGEST} letters", f"{path}.expression")
        elif not text:
            yield Cause(REQUIRED, 'example: device.driver == "x"', f"{path}.expression")
        elif wrong := _wrong(text):
            yield Cause(INVALID, wrong, f"{path}.expression")


def _wrong(text: str) -> str:
    try:
        node = parse(text)
        if told := _unknown(node):
            return told
    except CelSyntaxError as error:
        return str(error)
    except RecursionError:
        return "has too many parts"
    kind = _kind(node)
    return "" if kind in ("", "bool") else f"must say yes or no; it is a {kind}"


def _unknown(node: Node) -> str:
    """What is named and not there.

    A name right before a function may be a library's, and what a function of a value is given
    may have names of its own.
    """
    match node:
        case Name(name) if name != "device":
            return f"there is no variable {name}; the device is called device"
        case Select(Name("device"), field) if field not in _DEVICE:
            return f"a device has no field {field}; it has {', '.join(_DEVICE)}"
        case Select(target, _):
            return _unknown(target)
        case Call(_, args, None):
            return next(filter(None, map(_unknown, args)), "")
        case Call(_, _, target) if target is not None:
            return "" if isinstance(target, Name) else _unknown(target)
    return ""


def _kind(node: Node) -> str:
    """What an expression is for certain; empty where that depends on the device."""
    match node:
        case Literal(value):
            return _LITERALS.get(type(value), "null")
        case ListOf() | MapOf():
            return "list" if isinstance(node, ListOf) else "map"
        case Name():
            return "device"
        case Select(Name(), field):
            return _DEVICE[field]
        case Call(name, _, None) if name in _ARITHMETIC:
            return "number, text or list"
    return ""


_LITERALS: Final = {
    Unsigned: "uint",
    bool: "bool",
    float: "double",
    int: "int",
    str: "string",
}

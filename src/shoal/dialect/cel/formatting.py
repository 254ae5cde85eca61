"""``text.format(values)``: ``%s``, and ``%d``, ``%f``, ``%e``, ``%x``, ``%X``, ``%o``, ``%b``."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from shoal.dialect.cel.conversions import text_of
from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.values import Steps, Value, kind_of

_CLAUSE: Final = re.compile(r"%(?:\.(\d{1,2}))?(.?)", re.ASCII | re.DOTALL)


def formatted(text: str, values: list[Value], steps: Steps) -> str:
    """The text with its clauses filled. Raises CelError."""
    left = iter(values)
    made = _CLAUSE.sub(lambda match: _filled(match, left, steps), text)
    if next(left, None) is not None:
        raise CelError("there are more values than the text has clauses for")
    return made


def _filled(match: re.Match[str], left: Iterator[Value], steps: Steps) -> str:
    precision, verb = match.groups()
    if verb == "%":
        return "%"
    write = _VERBS.get(verb)
    if write is None:
        raise CelError(f"%{verb} is no clause; there are {', '.join(f'%{v}' for v in _VERBS)}")
    try:
        value = next(left)
    except StopIteration as error:
        raise CelError("the text has more clauses than there are values") from error
    written = write(value, int(precision or 6))
    steps.spend_on(written)
    steps.spend()
    return written


def _number(kinds: tuple[str, ...], form: str) -> Callable[[Value, int], str]:
    def write(value: Value, precision: int) -> str:
        if kind_of(value) not in kinds:
            raise CelError(f"a {' or '.join(kinds)} is needed, not a {kind_of(value)}")
        return format(value, form.replace("P", str(precision)))

    return write


def _hex(value: Value, precision: int) -> str:
    if isinstance(value, str):
        return value.encode().hex()
    return _number(("int",), "x")(value, precision)


def _said(value: Value) -> str:
    """Any value; lists and maps as they are written in expressions."""
    if isinstance(value, list):
        return f"[{', '.join(map(_said, value))}]"
    if isinstance(value, dict):
        entries = sorted((key, _said(inside)) for key, inside in value.items())
        return f"{{{', '.join(f'{key}: {inside}' for key, inside in entries)}}}"
    return "null" if value is None else text_of(value)


_VERBS: Final[Mapping[str, Callable[[Value, int], str]]] = {
    "s": lambda value, precision: _said(value),
    "d": _number(("int",), "d"),
    "f": _number(("double", "int"), ".Pf"),
    "e": _number(("double", "int"), ".Pe"),
    "x": _hex,
    "X": lambda value, precision: _hex(value, precision).upper(),
    "o": _number(("int",), "o"),
    "b": _number(("int", "bool"), "b"),
}

"""Kubernetes quantities: exact amounts that compare whatever they are written in."""

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from shoal.dialect.cel.errors import CelError
from shoal.dialect.cel.function import Functions, taking
from shoal.dialect.cel.values import Steps, whole
from shoal.units.errors import UnitError
from shoal.units.quantity import parse_quantity

_MOST: Final = 1 << 128
"""Sums stay below it, so that each takes as long as the next."""


def _quantity(text: str, steps: Steps) -> Fraction:
    try:
        return parse_quantity(text)
    except UnitError as error:
        raise CelError(str(error)) from error


def _is_quantity(text: str, steps: Steps) -> bool:
    try:
        parse_quantity(text)
    except UnitError:
        return False
    return True


def _as_integer(amount: Fraction, steps: Steps) -> int:
    if amount.denominator != 1:
        raise CelError("the quantity is no whole number")
    return whole(amount.numerator)


def _added(sign: int) -> Callable[[Fraction, Fraction | int, Steps], Fraction]:
    def run(amount: Fraction, other: Fraction | int, steps: Steps) -> Fraction:
        made = amount + sign * other
        if abs(made.numerator) >= _MOST or made.denominator >= _MOST:
            raise CelError("the quantity is too large or too fine")
        return made

    return run


def _compare(amount: Fraction, other: Fraction, steps: Steps) -> int:
    return (amount > other) - (amount < other)


FUNCTIONS: Final[Functions] = {
    ("isQuantity", 1): taking("string", "bool", _is_quantity),
    ("quantity", 1): taking("string", "quantity", _quantity),
}
METHODS: Final[Functions] = {
    ("add", 2): taking("quantity quantity|int", "quantity", _added(1)),
    ("asApproximateFloat", 1): taking("quantity", "double", lambda amount, steps: float(amount)),
    ("asInteger", 1): taking("quantity", "int", _as_integer),
    ("compareTo", 2): taking("quantity quantity", "int", _compare),
    ("isGreaterThan", 2): taking("quantity quantity", "bool", lambda a, b, steps: a > b),
    ("isInteger", 1): taking(
        "quantity",
        "bool",
        lambda amount, steps: amount.denominator == 1 and -(1 << 63) <= amount < 1 << 63,
    ),
    ("isLessThan", 2): taking("quantity quantity", "bool", lambda a, b, steps: a < b),
    ("sign", 1): taking("quantity", "int", lambda a, steps: (a > 0) - (a < 0)),
    ("sub", 2): taking("quantity quantity|int", "quantity", _added(-1)),
}

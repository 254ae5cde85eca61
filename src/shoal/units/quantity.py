"""Kubernetes quantities (``500m``, ``4``, ``32Gi``, ``1e3``) as exact integers.

Format: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

import functools
import re
from fractions import Fraction
from typing import Final

from shoal.units.errors import UnitError

MIB: Final = 1024 * 1024

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))([a-zA-Z]{0,2}|[eE][+-]?\d+)\Z", re.ASCII)
_SUFFIXES: Final[dict[str, Fraction]] = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}
_DECIMAL_UNITS: Final = dict(zip(range(-9, 21, 3), ("n", "u", "m", "", "k", *"MGTPE"), strict=True))
_BILLION: Final = 10**9
_MOST: Final = 2**63 - 1
_LONGEST: Final = 64
_FAR: Final = 64
"""The exponents that are read, up and down: far more than the most and the least there is."""


def parse_quantity(text: str | int) -> Fraction:
    """The exact value of a quantity. Raises UnitError."""
    return _parse(str(text))


@functools.lru_cache(maxsize=4096)
def _parse(written: str) -> Fraction:
    """Remembered, since objects name the same few amounts again and again."""
    match = _NUMBER.match(written) if len(written) <= _LONGEST else None
    if match is None:
        raise UnitError(f"{written[:_LONGEST]!r} is not a quantity; examples: 4, 500m, 32Gi")
    number, suffix = match.groups()
    if suffix in _SUFFIXES:
        return Fraction(number) * _SUFFIXES[suffix]
    if suffix[0] in "eE" and suffix[1:].lstrip("+-").isdigit() and abs(int(suffix[1:])) <= _FAR:
        return Fraction(number) * Fraction(10) ** int(suffix[1:])
    raise UnitError(f"{written!r} ends in {suffix!r}, which is no unit; examples: 4, 500m, 32Gi")


@functools.lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """A quantity in the one way that Kubernetes writes its value: ``500m`` for ``0.5``.

    Powers of 1024, of ten by unit, and of ten by exponent stay what they are. What is finer than a
    billionth is rounded away from 0, and 2^63 - 1 is the most there is. Raises UnitError.
    """
    value = parse_quantity(text.strip())
    match = _NUMBER.match(text.strip())
    suffix = match[2] if match is not None else ""
    most = min(abs(value), Fraction(_MOST))
    sign = "-" if value < 0 else ""
    if suffix.endswith("i") and most >= 1024:
        return sign + _binary(_ceil(most))
    return sign + _decimal(_ceil(most * _BILLION), exponent=len(suffix) > 1 and suffix[1] != "i")


def _binary(whole: int) -> str:
    unit = 0
    while whole % 1024 == 0:
        whole, unit = whole // 1024, unit + 1
    return f"{whole}{('', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei')[unit]}"


def _decimal(nano: int, *, exponent: bool) -> str:
    """``nano`` billionths, with a unit or an exponent that is a multiple of three."""
    if nano == 0:
        return "0"
    power = -9
    while nano % 1000 == 0:
        nano, power = nano // 1000, power + 3
    if exponent:
        return f"{nano}e{power}" if power else str(nano)
    return f"{nano}{_DECIMAL_UNITS[power]}"


def parse_cpu(text: str | int) -> int:
    """CPU in mCPU, rounded up. Raises UnitError."""
    return _ceil(_not_negative(text) * 1000)


def parse_bytes(text: str | int) -> int:
    """Memory in bytes, rounded up. Raises UnitError."""
    return _ceil(_not_negative(text))


def parse_mib(text: str | int) -> int:
    """Memory in MiB, rounded up. Raises UnitError."""
    return _ceil(_not_negative(text) / MIB)


def format_cpu(milli: int) -> str:
    """mCPU as Kubernetes writes it: ``4`` or ``500m``."""
    return f"{milli // 1000}" if milli % 1000 == 0 else f"{milli}m"


def format_mib(mib: int) -> str:
    """MiB as Kubernetes writes it: ``32Gi`` or ``1536Mi``."""
    return f"{mib // 1024}Gi" if mib and mib % 1024 == 0 else f"{mib}Mi"


def say_mib(mib: int) -> str:
    """MiB for people: ``40 GiB``, ``1.5 GiB``, ``300 MiB``."""
    if mib < 1024:
        return f"{mib} MiB"
    return f"{mib / 1024:.1f}".removesuffix(".0") + " GiB"


def say_cpu(milli: int) -> str:
    """mCPU for people, exactly: ``8``, ``0.5``, ``1.999``."""
    return f"{milli / 1000:.3f}".rstrip("0").rstrip(".")


def _not_negative(text: str | int) -> Fraction:
    value = parse_quantity(text)
    if value < 0:
        raise UnitError(f"{text} is negative; an amount is 0 or more, for example 4 or 32Gi")
    return value


def _ceil(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)

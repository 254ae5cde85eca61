"""Kubernetes quantities (``500m``, ``4``, ``32Gi``, ``1e3``) as exact integers.

Format: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

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
_LONGEST: Final = 64


def parse_quantity(text: str | int) -> Fraction:
    """The exact value of a quantity. Raises UnitError."""
    written = str(text)
    match = _NUMBER.match(written) if len(written) <= _LONGEST else None
    if match is None:
        raise UnitError(f"{written[:_LONGEST]!r} is not a quantity; examples: 4, 500m, 32Gi")
    number, suffix = match.groups()
    if suffix in _SUFFIXES:
        return Fraction(number) * _SUFFIXES[suffix]
    if suffix[0] in "eE" and suffix[1:].lstrip("+-").isdigit() and abs(int(suffix[1:])) <= 18:
        return Fraction(number) * Fraction(10) ** int(suffix[1:])
    raise UnitError(f"{written!r} ends in {suffix!r}, which is no unit; examples: 4, 500m, 32Gi")


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

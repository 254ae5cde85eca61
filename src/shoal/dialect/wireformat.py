"""Protocol buffers as they lie on the wire: fields by number, nothing about their meaning.

Source: https://protobuf.dev/programming-guides/encoding/
"""

import struct
from collections.abc import Iterator
from typing import Final, TypeAlias

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
FIXED32: Final = 5
_LONGEST_VARINT: Final = 10

Value: TypeAlias = int | bytes
"""A varint or fixed number without its sign, or the bytes of a text, message or packed list."""


class WireError(ValueError):
    """The bytes are no message."""


def fields(data: bytes) -> Iterator[tuple[int, int, Value]]:
    """Number, wire type and value of each field in order. Raises WireError."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        number, wire_type = tag >> 3, tag & 7
        if number == 0:
            raise WireError("a field has number 0")
        value, at = _value(data, at, wire_type)
        yield number, wire_type, value


def packed(data: bytes) -> Iterator[int]:
    """The varints of a packed list. Raises WireError."""
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The varint that begins at an offset, below 2**64, and where it ends. Raises WireError."""
    value = 0
    for place in range(_LONGEST_VARINT):
        if at + place >= len(data):
            raise WireError("it ends within a number")
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value & (2**64 - 1), at + place + 1
    raise WireError("a number is too long")


def signed(value: int, bits: int = 64) -> int:
    """The two's complement meaning of a varint, cut to a width."""
    value &= 2**bits - 1
    return value - 2**bits if value >> (bits - 1) else value


def double(value: int) -> float:
    """The meaning of 64 fixed bits."""
    number: float = struct.unpack("<d", struct.pack("<Q", value))[0]
    return number


def as_bytes(value: Value) -> bytes:
    """A value that has to be bytes. Raises WireError."""
    if not isinstance(value, bytes):
        raise WireError("a number stands where bytes belong")
    return value


def as_number(value: Value) -> int:
    """A value that has to be a number. Raises WireError."""
    if not isinstance(value, int):
        raise WireError("bytes stand where a number belongs")
    return value


def as_text(value: Value) -> str:
    """A value that has to be a text. Raises WireError or UnicodeDecodeError."""
    return as_bytes(value).decode()


def _value(data: bytes, at: int, wire_type: int) -> tuple[Value, int]:
    if wire_type == VARINT:
        return varint(data, at)
    if wire_type == BYTES:
        length, at = varint(data, at)
        return _cut(data, at, length), at + length
    if wire_type in _FIXED:
        length = _FIXED[wire_type]
        return int.from_bytes(_cut(data, at, length), "little"), at + length
    raise WireError(f"wire type {wire_type} is not used")


_FIXED: Final = {FIXED64: 8, FIXED32: 4}


def _cut(data: bytes, at: int, length: int) -> bytes:
    if at + length > len(data):
        raise WireError("it ends within a field")
    return data[at : at + length]

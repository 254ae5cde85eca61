"""Values of protobuf messages in JSON: scalars, and messages with a JSON shape of their own."""

import base64
import datetime
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from shoal.dialect.document import Json
from shoal.dialect.wireformat import (
    BYTES,
    FIXED64,
    VARINT,
    Value,
    WireError,
    as_bytes,
    as_number,
    as_text,
    double,
    fields,
    signed,
)

ReadSchema = Callable[[bytes], Json]
"""Reads a message ``JSONSchemaProps``."""
Special = Callable[[bytes, ReadSchema], Json]


class Scalar(msgspec.Struct, frozen=True):
    """A scalar type: its wire type and its value in JSON."""

    wire_type: int
    read: Callable[[Any], Json]


def _base64(value: Value) -> str:
    return base64.b64encode(as_bytes(value)).decode()


SCALARS: Final[Mapping[str, Scalar]] = {
    "bool": Scalar(VARINT, bool),
    "bytes": Scalar(BYTES, _base64),
    "double": Scalar(FIXED64, double),
    "int32": Scalar(VARINT, lambda value: signed(value, 32)),
    "int64": Scalar(VARINT, signed),
    "string": Scalar(BYTES, bytes.decode),
}


def _quantity(data: bytes, _: ReadSchema) -> str:
    return as_text(_by_number(data).get(1, b"0")) or "0"


def _time(data: bytes, _: ReadSchema) -> str | None:
    return _rfc3339(data, "seconds")


def _micro_time(data: bytes, _: ReadSchema) -> str | None:
    return _rfc3339(data, "microseconds")


def _rfc3339(data: bytes, precision: str) -> str | None:
    moment = _moment(data)
    return moment.isoformat(timespec=precision).replace("+00:00", "Z") if moment else None


def _moment(data: bytes) -> datetime.datetime | None:
    """The time in a message; None for an empty one, which is no time at all."""
    if not data:
        return None
    given = _by_number(data)
    seconds, nanos = (signed(as_number(given.get(number, 0))) for number in (1, 2))
    try:
        return _EPOCH + datetime.timedelta(seconds=seconds, microseconds=nanos // 1000)
    except OverflowError as error:
        raise WireError(f"{seconds} seconds is no time that can be written") from error


_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def _int_or_string(data: bytes, _: ReadSchema) -> int | str:
    given = _by_number(data)
    if as_number(given.get(1, 0)):
        return as_text(given.get(3, b""))
    return signed(as_number(given.get(2, 0)), 32)


def _raw_json(data: bytes, _: ReadSchema) -> Json:
    raw = as_bytes(_by_number(data).get(1, b""))
    return msgspec.json.decode(raw) if raw else None


def _texts(data: bytes, _: ReadSchema) -> list[str]:
    return [as_text(value) for number, _, value in fields(data) if number == 1]


def _schema_or_list(data: bytes, schema: ReadSchema) -> Json:
    several = [schema(as_bytes(value)) for number, _, value in fields(data) if number == 2]
    alone = _by_number(data).get(1)
    return schema(as_bytes(alone)) if alone is not None else several


def _schema_or_flag(data: bytes, schema: ReadSchema) -> Json:
    given = _by_number(data)
    return schema(as_bytes(given[2])) if 2 in given else bool(given.get(1, 0))


def _schema_or_texts(data: bytes, schema: ReadSchema) -> Json:
    several = [as_text(value) for number, _, value in fields(data) if number == 2]
    alone = _by_number(data).get(1)
    return schema(as_bytes(alone)) if alone is not None else several


SPECIAL: Final[Mapping[str, Special]] = {
    "AttestationValue": _texts,
    "ExtraValue": _texts,
    "FieldsV1": _raw_json,
    "IntOrString": _int_or_string,
    "JSON": _raw_json,
    "JSONSchemaPropsOrArray": _schema_or_list,
    "JSONSchemaPropsOrBool": _schema_or_flag,
    "JSONSchemaPropsOrStringArray": _schema_or_texts,
    "MicroTime": _micro_time,
    "Quantity": _quantity,
    "RawExtension": _raw_json,
    "Time": _time,
    "Verbs": _texts,
}


def _by_number(data: bytes) -> dict[int, Value]:
    return {number: value for number, _, value in fields(data)}

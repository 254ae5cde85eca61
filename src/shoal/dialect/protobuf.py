"""Bodies in ``application/vnd.kubernetes.protobuf``, read by a table of messages.

The document that comes out is the one that a Go client would have sent as JSON. That client
writes every plain field, also at its zero value, and a pointer only where it is set; the wire
does not tell them apart. So an empty text and the zero of a plain field count as not given,
and the zero of a pointer counts (``gracePeriodSeconds: 0``).
"""

import functools
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from shoal.dialect.document import Document, Json
from shoal.dialect.protobuf_values import SCALARS, SPECIAL
from shoal.dialect.schema import protobuf_messages, type_name
from shoal.dialect.status import StatusError, bad_request
from shoal.dialect.wireformat import BYTES, Value, WireError, as_bytes, as_text, fields, packed

MAGIC: Final = b"k8s\0"
MEDIA_TYPE: Final = "application/vnd.kubernetes.protobuf"
_DEEPEST: Final = 60

Messages = Mapping[str, Mapping[int, tuple[str, str]]]
"""Message by short name: field number to JSON name and type, as ``schema.protobuf_messages``."""
Read = Callable[[int, Value, int], Json]
"""The JSON value of one field: its wire type, its value, and how deep it lies."""


class Field(msgspec.Struct, frozen=True):
    """How a field number is read, and when its value counts as not given."""

    name: str
    read: Read
    repeated: bool = False
    inline: bool = False
    """Whether the message's fields are the holder's own in JSON."""
    is_map: bool = False
    packs: bool = False
    """Whether several values may lie in one field."""
    keeps_zero: bool = True


class Decoder:
    """Reads bodies by one table; what a message needs of it is prepared when it first comes."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self._fields = functools.cache(self._compile)

    def document(self, body: bytes) -> Document:
        """The object in a body with its apiVersion and kind. Raises StatusError 400 or 415."""
        if not body.startswith(MAGIC):
            raise bad_request("the body does not begin as a protobuf message of this API does")
        try:
            return self._document(body[len(MAGIC) :])
        except (WireError, UnicodeDecodeError, msgspec.DecodeError, RecursionError) as error:
            raise bad_request(f"the body is no protobuf message: {error}") from error

    def _document(self, body: bytes) -> Document:
        envelope = {number: value for number, _, value in fields(body)}
        type_meta = fields(as_bytes(envelope.get(1, b"")))
        about = {number: as_text(value) for number, _, value in type_meta}
        api_version, kind = about.get(1, ""), about.get(2, "")
        name = self._message_of(api_version, kind)
        if envelope.get(3) or as_text(envelope.get(4, b"")) not in ("", MEDIA_TYPE):
            raise bad_request("the object within the body is not protobuf; send it plain")
        document = self._read(name, as_bytes(envelope.get(2, b"")), 0)
        return {"apiVersion": api_version, "kind": kind, **document}

    def _message_of(self, api_version: str, kind: str) -> str:
        group, _, version = api_version.rpartition("/")
        for name in (type_name(group, version, kind), f"meta.v1.{kind}"):
            if name in self._messages:
                return name
        message = f"{kind or 'an object'} of {api_version or 'no version'} is not read as protobuf"
        raise StatusError(415, "UnsupportedMediaType", f"{message}; send it as JSON")

    def _read(self, message: str, data: bytes, depth: int) -> Document:
        if depth > _DEEPEST:
            raise WireError("it is nested too deeply")
        known = self._fields(message)
        document: Document = {}
        for number, wire_type, value in fields(data):
            if (field := known.get(number)) is not None:
                _put(document, field, wire_type, value, depth)
        return document

    def _compile(self, message: str) -> dict[int, Field]:
        short = message.rpartition(".")[2]
        return {
            number: self._field(short, name, type_)
            for number, (name, type_) in self._messages[message].items()
        }

    def _field(self, holder: str, name: str, type_: str) -> Field:
        inner = type_.removeprefix("[]").removeprefix("{}")
        repeated, is_map = type_.startswith("[]"), type_.startswith("{}")
        read = self._reader(inner)
        zero = {name, f"{holder}.{name}"}
        dropped = bool(zero & _PLAIN) if inner != "string" else not zero & _TEXT_POINTERS
        return Field(
            name,
            functools.partial(_entry, read) if is_map else read,
            repeated=repeated,
            inline=not name,
            is_map=is_map,
            packs=repeated and inner in SCALARS and SCALARS[inner].wire_type != BYTES,
            keeps_zero=not dropped,
        )

    def _reader(self, type_: str) -> Read:
        if type_ in SCALARS:
            return functools.partial(_scalar, type_)
        short = type_.rpartition(".")[2]
        if short in SPECIAL:
            return functools.partial(_special, short, self._read_schema)
        return functools.partial(self._read_message, type_)

    def _read_message(self, name: str, wire_type: int, value: Value, depth: int) -> Json:
        return self._read(name, _of_bytes(wire_type, value), depth + 1)

    def _read_schema(self, data: bytes, depth: int) -> Json:
        """The schema that is one of two things in a definition's own schema."""
        return self._read("apiextensions.v1.JSONSchemaProps", data, depth + 1)


@functools.cache
def decoder() -> Decoder:
    """The decoder of the kinds that are served; its table is read when a body first needs it."""
    return Decoder(protobuf_messages())


def _put(document: Document, field: Field, wire_type: int, value: Value, depth: int) -> None:
    if field.packs and wire_type == BYTES:
        items = [field.read(0, item, depth) for item in packed(as_bytes(value))]
        document.setdefault(field.name, []).extend(items)
        return
    read = field.read(wire_type, value, depth)
    if field.inline:
        document.update(read)
    elif field.is_map:
        document.setdefault(field.name, {}).update([read])
    elif field.repeated:
        document.setdefault(field.name, []).append(read)
    elif read is not None and (field.keeps_zero or read):
        document[field.name] = read


def _scalar(type_: str, wire_type: int, value: Value, depth: int) -> Json:
    scalar = SCALARS[type_]
    if wire_type != scalar.wire_type:
        raise WireError(f"a field of type {type_} has wire type {wire_type}")
    return scalar.read(value)


def _entry(read: Read, wire_type: int, value: Value, depth: int) -> tuple[str, Json]:
    key = ""
    given: tuple[int, Value] = (BYTES, b"")
    for number, wire, inside in fields(_of_bytes(wire_type, value)):
        if number == 1:
            key = as_text(inside)
        elif number == 2:
            given = wire, inside
    return key, read(*given, depth)


def _special(
    short: str,
    schema: Callable[[bytes, int], Json],
    wire_type: int,
    value: Value,
    depth: int,
) -> Json:
    return SPECIAL[short](_of_bytes(wire_type, value), lambda data: schema(data, depth))


def _of_bytes(wire_type: int, value: Value) -> bytes:
    if wire_type != BYTES:
        raise WireError(f"a message has wire type {wire_type}")
    return as_bytes(value)


_PLAIN: Final = frozenset(
    {
        "active",
        "authenticated",
        "chapAuthDiscovery",
        "chapAuthSession",
        "count",
        "denied",
        "deprecated",
        "deprecatedCount",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "failed",
        "failureThreshold",
        "generation",
        "globalDefault",
        "healthCheckNodePort",
        "hostIPC",
        "hostNetwork",
        "hostPID",
        "hostPort",
        "initialDelaySeconds",
        "nodePort",
        "nullable",
        "observedGeneration",
        "partition",
        "periodSeconds",
        "preserveUnknownFields",
        "publishNotReadyAddresses",
        "readOnly",
        "signal",
        "sizeBytes",
        "sslEnabled",
        "stdin",
        "stdinOnce",
        "succeeded",
        "successThreshold",
        "tty",
        "uniqueItems",
        "unschedulable",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "CustomResourceColumnDefinition.priority",
        "Probe.timeoutSeconds",
    }
)
"""Numbers and truth values that are no pointers in Go and left out of JSON at zero."""
_TEXT_POINTERS: Final = frozenset(
    {
        "DeviceAttribute.string",
        "EndpointPort.name",
        "LeaseSpec.holderIdentity",
        "PersistentVolumeClaimSpec.storageClassName",
        "PersistentVolumeClaimSpec.volumeAttributesClassName",
    }
)
"""Texts whose emptiness says something."""

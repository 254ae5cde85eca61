"""Protobuf bodies: an encoder of the test's own writes what the decoder has to read."""

import base64
import datetime
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.dialect.protobuf import Decoder, decoder
from shoal.dialect.schema import protobuf_messages
from shoal.dialect.status import StatusError

MESSAGES = protobuf_messages()
KINDS = [
    ("v1", "Pod", "core.v1.Pod"),
    ("v1", "Secret", "core.v1.Secret"),
    ("v1", "PersistentVolume", "core.v1.PersistentVolume"),
    ("v1", "Event", "core.v1.Event"),
    ("batch/v1", "Job", "batch.v1.Job"),
    ("coordination.k8s.io/v1", "Lease", "coordination.v1.Lease"),
    ("resource.k8s.io/v1", "ResourceClaim", "resource.v1.ResourceClaim"),
    ("v1", "DeleteOptions", "meta.v1.DeleteOptions"),
    ("policy/v1", "DeleteOptions", "meta.v1.DeleteOptions"),
]


def varint(value):
    value %= 2**64
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def chunk(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def number_field(number, value):
    return varint(number << 3) + varint(value)


def timestamp(text):
    moment = datetime.datetime.fromisoformat(text)
    seconds = int((moment.replace(microsecond=0)).timestamp())
    return number_field(1, seconds) + number_field(2, moment.microsecond * 1000)


def int_or_string(value):
    if isinstance(value, str):
        return number_field(1, 1) + number_field(2, 0) + chunk(3, value.encode())
    return number_field(1, 0) + number_field(2, value) + chunk(3, b"")


SPECIAL = {
    "Quantity": lambda value: chunk(1, value.encode()),
    "IntOrString": int_or_string,
    "meta.v1.Time": timestamp,
    "meta.v1.MicroTime": timestamp,
    "runtime.RawExtension": lambda value: chunk(1, value.encode()),
}


def encode_field(number, type_, value):
    if type_.startswith("[]"):
        return b"".join(encode_field(number, type_[2:], item) for item in value)
    if type_.startswith("{}"):
        return b"".join(
            chunk(number, chunk(1, key.encode()) + encode_field(2, type_[2:], item))
            for key, item in value.items()
        )
    if type_ == "string":
        return chunk(number, value.encode())
    if type_ == "bytes":
        return chunk(number, base64.b64decode(value))
    if type_ == "double":
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if type_ in ("bool", "int32", "int64"):
        return number_field(number, value)
    return chunk(number, SPECIAL[type_](value) if type_ in SPECIAL else encode(type_, value))


def encode(message, document):
    parts = []
    for number, (name, type_) in MESSAGES[message].items():
        if not name:
            parts.append(chunk(number, encode(type_, document)))
        elif name in document:
            parts.append(encode_field(number, type_, document[name]))
    return b"".join(parts)


def body(api_version, kind, raw):
    about = chunk(1, api_version.encode()) + chunk(2, kind.encode())
    return b"k8s\0" + chunk(1, about) + chunk(2, raw) + chunk(3, b"") + chunk(4, b"")


texts = st.text(min_size=1, max_size=6)
moments = st.datetimes(datetime.datetime(1, 1, 2), datetime.datetime(9999, 12, 30))
VALUES = {
    "string": texts,
    "bool": st.just(value=True),
    "int32": st.integers(-(2**31), 2**31 - 1).filter(bool),
    "int64": st.integers(-(2**63), 2**63 - 1).filter(bool),
    "double": st.floats(allow_nan=False, allow_infinity=False).filter(bool),
    "bytes": st.binary(min_size=1, max_size=6).map(lambda data: base64.b64encode(data).decode()),
    "Quantity": st.sampled_from(["1", "500m", "2Gi"]),
    "IntOrString": st.integers(-(2**31), 2**31 - 1) | texts,
    "meta.v1.Time": moments.map(lambda one: one.isoformat(timespec="seconds") + "Z"),
    "meta.v1.MicroTime": moments.map(lambda one: one.isoformat(timespec="microseconds") + "Z"),
}
DEEPEST = 5


def values(type_, depth):
    if type_.startswith("[]"):
        return st.lists(values(type_[2:], depth), min_size=1, max_size=2)
    if type_.startswith("{}"):
        return st.dictionaries(texts, values(type_[2:], depth), min_size=1, max_size=2)
    return VALUES[type_] if type_ in VALUES else documents(type_, depth + 1)


def is_readable(type_):
    inner = type_.replace("[]", "").replace("{}", "")
    return inner in VALUES or (inner in MESSAGES and inner not in ("meta.v1.FieldsV1", *SPECIAL))


@st.composite
def documents(draw, message, depth=0):
    """A document of a message: a few of its fields, none at a zero that is not sent."""
    made = {}
    fields = [field for field in MESSAGES[message].values() if is_readable(field[1])]
    for name, type_ in fields:
        if not name:
            made |= draw(documents(type_, depth + 1))
    kept = [field for field in fields if field[0]]
    if depth >= DEEPEST or not kept:
        kept = [field for field in kept if field[1] in VALUES]
    for name, type_ in draw(st.lists(st.sampled_from(kept), max_size=4)) if kept else []:
        made[name] = draw(values(type_, depth))
    return made


@pytest.mark.parametrize(("api_version", "kind", "message"), KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_was_encoded_is_decoded(api_version, kind, message, data):
    document = data.draw(documents(message))
    read = decoder().document(body(api_version, kind, encode(message, document)))
    assert (read.pop("apiVersion"), read.pop("kind")) == (api_version, kind)
    assert without_empty(read) == without_empty(document)


def without_empty(document):
    """Without empty objects: a message that holds nothing comes as one."""
    if isinstance(document, list):
        return [without_empty(item) for item in document]
    if not isinstance(document, dict):
        return document
    pairs = ((name, without_empty(value)) for name, value in document.items())
    return {name: value for name, value in pairs if value != {}}


def read_pod(raw):
    return decoder().document(body("v1", "Pod", raw))


def pod_of(**spec):
    return encode("core.v1.Pod", {"spec": spec})


def test_the_zero_of_a_pointer_is_kept_and_that_of_a_plain_field_is_not():
    spec = {"terminationGracePeriodSeconds": 0, "automountServiceAccountToken": False}
    assert read_pod(pod_of(**spec, hostNetwork=False, nodeName=""))["spec"] == spec
    options = encode("meta.v1.DeleteOptions", {"gracePeriodSeconds": 0})
    read = decoder().document(body("v1", "DeleteOptions", options))
    assert read["gracePeriodSeconds"] == 0


def test_an_empty_text_is_kept_in_lists_and_maps_and_where_it_says_something():
    claim = {"spec": {"storageClassName": "", "volumeName": ""}}
    raw = encode("core.v1.PersistentVolumeClaim", claim)
    read = decoder().document(body("v1", "PersistentVolumeClaim", raw))
    assert read["spec"] == {"storageClassName": ""}
    spec = {"nodeSelector": {"a": ""}, "containers": [{"args": ["", "x"]}]}
    assert read_pod(pod_of(**spec))["spec"] == spec


def test_an_empty_object_is_kept_and_an_empty_time_is_none():
    volume = {"name": "scratch", "emptyDir": {}}
    assert read_pod(pod_of(volumes=[volume]))["spec"]["volumes"] == [volume]
    assert read_pod(chunk(1, chunk(8, b"")))["metadata"] == {}


def test_numbers_of_a_list_may_be_packed():
    raw = chunk(2, chunk(14, chunk(4, varint(5) + varint(300))))
    read = read_pod(raw)["spec"]["securityContext"]
    assert read["supplementalGroups"] == [5, 300]


def test_unknown_numbers_are_skipped_whatever_they_hold():
    unknown = number_field(1000, 7) + chunk(1001, b"\xff") + varint(1002 << 3 | 5) + b"\0\0\0\0"
    assert read_pod(unknown + pod_of(hostname="h") + unknown)["spec"] == {"hostname": "h"}


def test_a_definition_keeps_the_shapes_that_json_has():
    items = chunk(24, chunk(1, chunk(5, b"string")))
    open_ended = chunk(30, number_field(1, 1))
    kept = number_field(38, 1) + chunk(8, chunk(1, b'{"a": [1]}')) + chunk(41, b"name")
    schema = chunk(3, chunk(1, items + open_ended + kept + chunk(2, b"x") + chunk(3, b"y")))
    raw = chunk(2, chunk(7, chunk(1, b"v1") + chunk(4, schema[2:])))
    definition = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    (version,) = decoder().document(body(*definition, raw))["spec"]["versions"]
    assert version["schema"]["openAPIV3Schema"] == {
        "items": {"type": "string"},
        "additionalProperties": True,
        "x-kubernetes-preserve-unknown-fields": True,
        "x-kubernetes-list-map-keys": ["name"],
        "default": {"a": [1]},
        "$schema": "x",
        "$ref": "y",
    }


@pytest.mark.parametrize(
    ("given_body", "code"),
    [
        (b"", 400),
        (b"not protobuf", 400),
        (b"k8s\0\x0a\xff", 400),
        (body("v1", "Pod", b"\x0a\x05ab"), 400),
        (body("v1", "Pod", number_field(1, 5)), 400),
        (body("v1", "Pod", chunk(1, chunk(1, b"\xff"))), 400),
        (body("v1", "Pod", chunk(1, chunk(8, number_field(1, 2**60)))), 400),
        (body("v1", "Pod", b"\x0b"), 400),
        (body("v1", "Pod", b"\xff" * 11), 400),
        (body("shoal.dev/v1alpha1", "Run", b""), 415),
    ],
)
def test_what_is_no_message_is_refused(given_body, code):
    with pytest.raises(StatusError) as refused:
        decoder().document(given_body)
    assert refused.value.code == code
    assert refused.value.details is None


def test_nesting_is_bounded():
    endless = Decoder({"core.v1.Pod": {1: ("inner", "core.v1.Pod")}})
    raw = b""
    for _ in range(1000):
        raw = chunk(1, raw)
    with pytest.raises(StatusError, match="nested too deeply"):
        endless.document(body("v1", "Pod", raw))


@given(st.binary(max_size=80), st.sampled_from(KINDS))
def test_garbage_is_refused_or_read_and_never_breaks(raw, kind):
    try:
        decoder().document(body(*kind[:2], raw))
    except StatusError as error:
        assert error.code == 400

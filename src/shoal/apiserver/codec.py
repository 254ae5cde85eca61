"""Request bodies to objects: one entry a media type."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from shoal.dialect.document import Json
from shoal.dialect.status import StatusError, bad_request

Decode = Callable[[bytes], Json]


def decode_body(content_type: str, body: bytes) -> Json:
    """The document in a body. Raises StatusError 415 or 400. No content type means JSON."""
    media_type = content_type.partition(";")[0].strip().lower() or "application/json"
    decode = DECODERS.get(media_type)
    if decode is None:
        raise _unsupported(media_type)
    document = decode(body)
    if decode is not decode_json or body.count(b"{") + body.count(b"[") > _DEEPEST:
        check_depth(document)
    return document


def decode_object(content_type: str, body: bytes) -> dict[str, Any]:
    """The object in a body. Raises StatusError, also when it is no object."""
    document = decode_body(content_type, body)
    if not isinstance(document, dict):
        raise bad_request("the body is not an object; it must hold apiVersion, kind and metadata")
    return document


def check_depth(value: Json) -> None:
    """Raises StatusError 400 for a value that is nested too deeply for whoever works on it."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [inner for holder in level for inner in _inside(holder) if type(inner) in _HOLDERS]
        if not level:
            return
    raise bad_request(f"the body is nested too deeply; at most {_DEEPEST} levels are taken")


_DEEPEST: Final = 200
_HOLDERS: Final = frozenset({dict, list})


def _inside(holder: Json) -> Iterable[Json]:
    if type(holder) is dict:
        return holder.values()
    return holder if type(holder) is list else ()


def without_nulls(document: dict[str, Any]) -> dict[str, Any]:
    """The object without fields that are null: they count as not given, at every depth."""
    return {key: _pruned(value) for key, value in document.items() if value is not None}


def _pruned(value: Json) -> Json:
    if isinstance(value, dict):
        return without_nulls(value)
    return [_pruned(item) for item in value] if isinstance(value, list) else value


def decode_json(body: bytes) -> Json:
    """JSON text. Raises StatusError."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise bad_request(f"the body is not JSON: {error}") from error
    except RecursionError as error:
        raise bad_request("the body is nested too deeply") from error


def decode_yaml(body: bytes) -> Json:
    """YAML text without aliases. Raises StatusError."""
    from shoal.apiserver.yaml_body import load

    return load(body)


def decode_protobuf(body: bytes) -> Json:
    """A protobuf message of one of Kubernetes' own kinds. Raises StatusError."""
    from shoal.dialect.protobuf import decoder

    return decoder().document(body)


DECODERS: Final[Mapping[str, Decode]] = {
    "application/json": decode_json,
    "application/yaml": decode_yaml,
    "application/vnd.kubernetes.protobuf": decode_protobuf,
}


def _unsupported(media_type: str) -> StatusError:
    known = ", ".join(DECODERS)
    message = f"bodies of type {media_type!r} are not supported here; send one of: {known}"
    return StatusError(415, "UnsupportedMediaType", message)

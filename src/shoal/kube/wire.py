"""The shapes that lists and watches have on the wire, and what both clients do alike."""

import functools
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from shoal.api.kinds import Kind
from shoal.api.meta import Object
from shoal.kube.errors import error_from

T = TypeVar("T", bound=Object)

PAGE = 500
"""Objects asked for at a time in a list."""
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"


class ListMeta(msgspec.Struct, rename="camel"):
    """``metadata`` of a list."""

    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")


class Listing(msgspec.Struct, Generic[T]):
    """A list as it was at one resource version."""

    items: list[T]
    metadata: ListMeta

    @property
    def resource_version(self) -> str:
        """Where a watch of what follows begins."""
        return self.metadata.resource_version


class WatchEvent(msgspec.Struct, Generic[T]):
    """One change: ADDED, MODIFIED, DELETED, or a BOOKMARK that carries a version only."""

    type: str
    object: T


class _RawEvent(msgspec.Struct):
    type: str
    object: msgspec.Raw


@functools.cache
def _object_decoder(view: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(view)


@functools.cache
def _list_decoder(view: type[T]) -> msgspec.json.Decoder[Listing[T]]:
    return msgspec.json.Decoder(Listing[view])  # type: ignore[valid-type]


_event_decoder = msgspec.json.Decoder(_RawEvent)


def decode_object(kind: Kind[T], body: bytes) -> T:
    """An object as its view."""
    decoded: T = _object_decoder(kind.view).decode(body)
    return decoded


def decode_list(kind: Kind[T], body: bytes) -> Listing[T]:
    """A list as views."""
    return _list_decoder(kind.view).decode(body)


def decode_event(kind: Kind[T], line: bytes) -> WatchEvent[T]:
    """One line of a watch. Raises the ApiError that an ERROR event carries."""
    event = _event_decoder.decode(line)
    if event.type == "ERROR":
        raise error_from(0, bytes(event.object))
    # A bookmark is an object of metadata alone, which a view that requires more would refuse.
    view = Object if event.type == "BOOKMARK" else kind.view
    return WatchEvent(event.type, _object_decoder(view).decode(event.object))


def list_query(labels: str, fields: str, limit: int = 0, token: str = "") -> dict[str, str]:
    """Query parameters of a list or watch; those that are empty are left out."""
    query = {"labelSelector": labels, "fieldSelector": fields, "continue": token}
    if limit:
        query["limit"] = str(limit)
    return {key: value for key, value in query.items() if value}


def watch_query(resource_version: str, labels: str, fields: str) -> dict[str, str]:
    """Query parameters of a watch with bookmarks."""
    return list_query(labels, fields) | {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": resource_version,
    }


def delete_body(uid: str, grace: int | None, propagation: str) -> dict[str, Any]:
    """DeleteOptions."""
    options: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
    if uid:
        options["preconditions"] = {"uid": uid}
    if grace is not None:
        options["gracePeriodSeconds"] = grace
    if propagation:
        options["propagationPolicy"] = propagation
    return options


def object_path(kind: Kind[Any], obj: Mapping[str, Any], subresource: str = "") -> str:
    """The path of an object from its own metadata."""
    metadata = obj["metadata"]
    return kind.path(metadata.get("namespace", ""), metadata["name"], subresource)


def binding(pod_name: str, namespace: str, node: str, uid: str) -> dict[str, Any]:
    """The Binding that places a pod."""
    metadata = {"name": pod_name, "namespace": namespace} | ({"uid": uid} if uid else {})
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": metadata,
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }


def refuse(code: int, body: bytes) -> None:
    """Raise what a refusing answer says; return on success."""
    if code >= 400:
        raise error_from(code, body)


def warning_text(header: str) -> str:
    """What a ``Warning`` header tells people: ``299 - "text"`` (RFC 7234, 5.5)."""
    _, _, quoted = header.partition('"')
    return quoted.rpartition('"')[0].replace('\\"', '"').replace("\\\\", "\\")

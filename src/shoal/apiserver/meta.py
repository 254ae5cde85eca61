"""Metadata as the server keeps it: what it fills in, and what a writer cannot change."""

import functools
import time
from collections.abc import Callable
from typing import Final

from shoal.apiserver.ids import IDS
from shoal.apiserver.registry import Resource
from shoal.dialect.document import Document
from shoal.dialect.names import generated_name, metadata_causes
from shoal.dialect.paths import dig
from shoal.dialect.status import Cause, StatusError, bad_request, conflict, invalid

_KEPT: Final = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generateName",
)
_TRIES: Final = 8
_DROPPED: Final = ("managedFields", "selfLink")
_FOR_STATUS: Final = ("labels", "annotations", "finalizers", "ownerReferences")


def rfc3339(later_s: int = 0) -> str:
    """The time now, or some seconds from now, in whole seconds."""
    return _written(int(time.time()) + later_s)


@functools.lru_cache(maxsize=16)
def _written(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(second))


def begin(
    resource: Resource, namespace: str, document: Document, is_taken: Callable[[str], bool]
) -> None:
    """Fill the metadata of a new object in place. Raises StatusError.

    A ``generateName`` is tried with a few suffixes until one gives a name that is not taken.
    """
    metadata = settle(resource, namespace, "", document)
    if metadata.get("resourceVersion"):
        raise StatusError(500, "", "resourceVersion should not be set on objects to be created")
    if not metadata.get("name") and (prefix := metadata.get("generateName")):
        for _ in range(_TRIES):
            metadata["name"] = generated_name(prefix, IDS.suffix())
            if not is_taken(metadata["name"]):
                break
    metadata["uid"] = IDS.uid()
    metadata["creationTimestamp"] = rfc3339()
    for server_owned in ("deletionTimestamp", "deletionGracePeriodSeconds"):
        metadata.pop(server_owned, None)
    if resource.generation:
        metadata["generation"] = 1


def settle(resource: Resource, namespace: str, name: str, document: Document) -> Document:
    """Check that an object belongs where it is sent, fill what the path says; its metadata.

    The object has the form of its kind already. Raises StatusError 400.
    """
    _settle_type(resource, document)
    metadata: Document = document.setdefault("metadata", {})
    for dropped in _DROPPED:
        metadata.pop(dropped, None)
    if resource.namespaced:
        _settle_namespace(metadata, namespace)
    else:
        metadata.pop("namespace", None)
    if name and metadata.setdefault("name", name) != name:
        raise bad_request(
            f"the name of the object ({metadata['name']}) is not the name in the path ({name})"
        )
    return metadata


def check(resource: Resource, document: Document) -> None:
    """Raises StatusError 422 for metadata that may not be stored."""
    metadata = document["metadata"]
    causes = list(metadata_causes(metadata, resource.name_rule))
    if causes:
        raise invalid(resource.group, resource.kind, metadata.get("name", ""), causes)


def inherit(resource: Resource, new: Document, old: Document) -> None:
    """Put back what only the server writes. Raises StatusError 409 for another uid."""
    metadata, before = new["metadata"], old["metadata"]
    if (uid := metadata.get("uid")) and uid != before["uid"]:
        why = f"its uid is {before['uid']}, not {uid}"
        raise conflict(resource.group, resource.plural, before["name"], why)
    for key in (*_KEPT, "generation"):
        if key in before:
            metadata[key] = before[key]
        else:
            metadata.pop(key, None)


def check_unchanged(resource: Resource, new: Document, old: Document) -> None:
    """Raises StatusError 422 where something changed that never does."""
    causes = [
        Cause(reason, "field is immutable", path)
        for path, reason in resource.immutable.items()
        if dig(new, *path.split(".")) != dig(old, *path.split("."))
    ]
    if causes:
        raise invalid(resource.group, resource.kind, new["metadata"]["name"], causes)


def keep_metadata(new: Document, old: Document) -> None:
    """Ignore what a status write says about labels and the rest."""
    for key in _FOR_STATUS:
        if key in old["metadata"]:
            new["metadata"][key] = old["metadata"][key]
        else:
            new["metadata"].pop(key, None)


def _settle_type(resource: Resource, document: Document) -> None:
    for key, value in (("apiVersion", resource.api_version), ("kind", resource.kind)):
        if (document.get(key) or value) != value:
            raise bad_request(f"{key} is {document[key]!r}; this path takes {value}")
        document[key] = value


def _settle_namespace(metadata: Document, namespace: str) -> None:
    if (metadata.get("namespace") or namespace) != namespace:
        raise bad_request(
            f"the namespace of the object ({metadata['namespace']}) is not the one in the path "
            f"({namespace})"
        )
    metadata["namespace"] = namespace

"""Rules for names, labels and the rest of metadata.

Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
"""

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from shoal.dialect.document import Json
from shoal.dialect.status import INVALID, REQUIRED, TOO_LONG, Cause

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
_QUALIFIED = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?\Z")
_MOST_ANNOTATION_BYTES: Final = 256 * 1024
_LONGEST_GENERATED: Final = 63
_REMEMBERED: Final = 4096
"""Keys and values whose check is kept: objects carry the same few again and again."""
SUFFIX_LENGTH: Final = 5
SUFFIX_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
"""Letters of a generated suffix: no vowels, so that it spells nothing."""

NameRule = Callable[[str], str]
"""A check of a name: what is wrong with it, or an empty text."""


def wrong_label(name: str) -> str:
    """RFC 1123 label: what namespaces are called."""
    if len(name) <= 63 and _LABEL.match(name):
        return ""
    return (
        f"{name[:70]!r} is not a name: at most 63 lower-case letters, digits and '-', "
        "a letter or digit at both ends; example: my-name"
    )


def wrong_subdomain(name: str) -> str:
    """RFC 1123 subdomain: what most objects are called."""
    if len(name) <= 253 and _SUBDOMAIN.match(name):
        return ""
    return (
        f"{name[:70]!r} is not a name: at most 253 lower-case letters, digits, '-' and '.', "
        "a letter or digit at both ends; example: my-name"
    )


def wrong_label_1035(name: str) -> str:
    """RFC 1035 label: one that begins with a letter."""
    return wrong_label(name) or ("" if name[0].isalpha() else f"{name!r} begins with no letter")


@functools.lru_cache(maxsize=_REMEMBERED)
def wrong_qualified(name: str) -> str:
    """A label key, an annotation key or a finalizer: ``prefix/name`` or ``name``."""
    prefix, slash, tail = name.rpartition("/")
    if slash and (not prefix or wrong_subdomain(prefix)):
        return f"{name[:70]!r} has a prefix that is no DNS name; example: example.com/my-name"
    if len(tail) <= 63 and _QUALIFIED.match(tail):
        return ""
    return (
        f"{name[:70]!r} is not a qualified name: at most 63 letters, digits, '-', '_' and '.'; "
        "example: example.com/my-name"
    )


@functools.lru_cache(maxsize=_REMEMBERED)
def wrong_label_value(value: str) -> str:
    """The value of a label; empty is allowed."""
    if not value or (len(value) <= 63 and _QUALIFIED.match(value)):
        return ""
    return (
        f"{value[:70]!r} is not a label value: at most 63 letters, digits, '-', '_' and '.', "
        "a letter or digit at both ends; example: blue"
    )


def generated_name(prefix: str, suffix: str) -> str:
    """The name that a ``generateName`` becomes; cut so that the whole fits 63 characters."""
    return prefix[: _LONGEST_GENERATED - SUFFIX_LENGTH] + suffix


def metadata_causes(metadata: Mapping[str, Any], rule: NameRule) -> Iterator[Cause]:
    """What is wrong in ``metadata`` of an object that is about to be stored."""
    yield from _name_causes(metadata, rule)
    yield from label_causes(metadata, "metadata")
    for index, finalizer in enumerate(metadata.get("finalizers") or ()):
        yield from _finalizer_causes(index, finalizer)
    yield from _owner_causes(metadata.get("ownerReferences") or ())
    if (metadata.get("generation") or 0) < 0:
        yield Cause(INVALID, "must be 0 or more", "metadata.generation")


def label_causes(metadata: Mapping[str, Any], path: str) -> Iterator[Cause]:
    """What is wrong with the labels and annotations of metadata that lies at ``path``."""
    for key, value in (metadata.get("labels") or {}).items():
        if wrong := wrong_qualified(key) or wrong_label_value(value):
            yield Cause(INVALID, wrong, f"{path}.labels")
    yield from _annotation_causes(metadata.get("annotations") or {}, f"{path}.annotations")


def _name_causes(metadata: Mapping[str, Any], rule: NameRule) -> Iterator[Cause]:
    name, prefix = metadata.get("name") or "", metadata.get("generateName") or ""
    if prefix and (wrong := rule(prefix.rstrip("-.") or prefix)):
        yield Cause(INVALID, wrong, "metadata.generateName")
    if not name:
        yield Cause(REQUIRED, "name or generateName is required", "metadata.name")
    elif wrong := rule(name):
        yield Cause(INVALID, wrong, "metadata.name")


def _annotation_causes(annotations: Mapping[str, str], at: str) -> Iterator[Cause]:
    size = 0
    for key, value in annotations.items():
        size += len(key) + len(value.encode())
        if wrong := wrong_qualified(key.lower()):
            yield Cause(INVALID, wrong, at)
    if size > _MOST_ANNOTATION_BYTES:
        told = f"{size} bytes in all; at most {_MOST_ANNOTATION_BYTES}"
        yield Cause(TOO_LONG, told, at)


_BARE_FINALIZERS: Final = frozenset({"orphan", "foregroundDeletion", "kubernetes"})


def _finalizer_causes(index: int, finalizer: str) -> Iterator[Cause]:
    wrong = wrong_qualified(finalizer)
    if wrong:
        yield Cause(INVALID, wrong, "metadata.finalizers")
    if "/" not in finalizer and finalizer not in _BARE_FINALIZERS:
        told = f"{finalizer[:70]!r} is not fully qualified; example: example.com/hold"
        yield Cause(INVALID, told, f"metadata.finalizers[{index}]")


def _owner_causes(owners: Json) -> Iterator[Cause]:
    for index, owner in enumerate(owners):
        for field in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(field):
                path = f"metadata.ownerReferences[{index}].{field}"
                yield Cause(REQUIRED, "must not be empty", path)
    if sum(1 for owner in owners if owner.get("controller")) > 1:
        told = "only one owner may be the controller"
        yield Cause(INVALID, told, "metadata.ownerReferences")

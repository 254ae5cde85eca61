"""Which objects a list, a watch or a collection's deletion is about."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from shoal.apiserver.history import Key
from shoal.apiserver.http import Request
from shoal.apiserver.registry import Resource
from shoal.apiserver.render import decode
from shoal.dialect.paths import field_text
from shoal.dialect.selectors import Operator, Selector, SelectorError, parse_fields, parse_labels
from shoal.dialect.status import bad_request


class Selection(msgspec.Struct, frozen=True):
    """A namespace (empty: all) and selectors. Falsy selectors select everything."""

    resource: Resource
    namespace: str
    labels: Selector
    fields: Selector
    marks: tuple[bytes, ...] = ()
    """What the text of every selected object holds: most others need not be decoded."""

    @property
    def everything(self) -> bool:
        """Whether every object of the namespace is selected."""
        return not self.labels and not self.fields

    def takes(self, key: Key, raw: bytes) -> bool:
        """Whether an object is selected."""
        if self.namespace and key.namespace != self.namespace:
            return False
        if self.labels and not self.labels.matches(_labels(raw)):
            return False
        return not self.fields or self._fields_match(key, raw)

    def _fields_match(self, key: Key, raw: bytes) -> bool:
        if any(mark not in raw for mark in self.marks):
            return False
        values = {"metadata.name": key.name, "metadata.namespace": key.namespace}
        wanted = {requirement.key for requirement in self.fields.requirements} - values.keys()
        if wanted:
            document = decode(raw)
            paths = self.resource.fields
            values |= {name: field_text(document, paths[name]) for name in wanted}
        return self.fields.matches(values)


def selection_of(request: Request, resource: Resource, namespace: str) -> Selection:
    """The selection that a request asks for. Raises StatusError 400."""
    try:
        labels = parse_labels(request.query.get("labelSelector", ""))
        fields = parse_fields(request.query.get("fieldSelector", ""), resource.selectable)
    except SelectorError as error:
        raise bad_request(str(error)) from error
    return Selection(resource, namespace, labels, fields, tuple(_marks(fields)))


_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]+")
"""Values that JSON writes as they are."""


def _marks(fields: Selector) -> Iterator[bytes]:
    for requirement in fields.requirements:
        if requirement.operator is Operator.IN and len(requirement.values) == 1:
            (value,) = requirement.values
            if _PLAIN.fullmatch(value):
                yield value.encode()


class _Labelled(msgspec.Struct):
    class Metadata(msgspec.Struct):
        labels: dict[str, str] = {}

    metadata: Metadata


_decode_labels: Final = msgspec.json.Decoder(_Labelled).decode


def _labels(raw: bytes) -> dict[str, str]:
    return _decode_labels(raw).metadata.labels

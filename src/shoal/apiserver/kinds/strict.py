"""Kinds of ours without rules beyond their fields: no unknown ones, none of a wrong type."""

from typing import Final

import msgspec

from shoal.api.meta import Object
from shoal.apiserver.kinds.fields import tree_of_kind, type_cause, unknown_causes
from shoal.apiserver.kinds.refuse import refuse
from shoal.apiserver.registry import World
from shoal.dialect.document import Document


class Strict:
    """The rules of a kind: its objects must fit its typed view."""

    def __init__(self, view: type[Object]) -> None:
        self._view: Final = view
        self._fields: Final = tree_of_kind(view)

    def admit(self, document: Document, world: World) -> list[str]:
        """Rules of creation. Raises StatusError 422."""
        self._check(document)
        return []

    def change(self, new: Document, old: Document) -> None:
        """Rules of any later write. Raises StatusError 422."""
        self._check(new)

    def _check(self, document: Document) -> None:
        group = document["apiVersion"].partition("/")[0]
        refuse(group, document["kind"], document, unknown_causes(document, self._fields, ""))
        try:
            msgspec.convert(document, self._view)
        except msgspec.ValidationError as error:
            refuse(group, document["kind"], document, [type_cause(error)])

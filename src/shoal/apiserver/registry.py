"""What a served kind is: one ``Resource`` each, and the registry that finds it by path."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import msgspec

from shoal.apiserver.history import Key
from shoal.dialect.document import Document
from shoal.dialect.names import NameRule, wrong_subdomain
from shoal.dialect.schema import type_name
from shoal.dialect.structural.structure import Structure
from shoal.dialect.table import Column
from shoal.dialect.versions import rank


class World(Protocol):
    """What admission may look at besides the object: others, as the next write will see them."""

    def find(self, key: Key) -> Document | None:
        """The newest version of another object, decoded; None when there is none."""

    def all(self, resource: str, mark: bytes = b"") -> Iterable[Document]:
        """The durable objects of a kind whose text holds the mark, decoded."""


Admit = Callable[[Document, World], list[str]]
"""Fill defaults and check a new object in place; warnings. Raises StatusError."""
Change = Callable[[Document, Document], None]
"""Check, and where needed complete, a new version against the old. Raises StatusError."""
Cells = Callable[[Document, int], list[Any]]
"""The table row of an object at a time (Unix seconds)."""
Convert = Callable[[Document], Document]
"""An object in another version's fields; the one given is left alone."""


def admit_anything(document: Document, world: World) -> list[str]:
    """No defaults and nothing to check."""
    return []


def allow_any_change(new: Document, old: Document) -> None:
    """Nothing to check."""


def mark_nothing(document: Document) -> None:
    """Nothing to change."""


class Face(msgspec.Struct, frozen=True):
    """What a kind is that shows objects stored under another kind, in fields of its own.

    Rules and table cells work on the stored form; ``show`` and ``store`` convert.
    """

    key: str
    """The stored kind's name in the store."""
    show: Convert
    store: Convert


class ScalePaths(msgspec.Struct, frozen=True):
    """Dotted paths into an object; ``selector`` may be empty."""

    spec: str
    status: str
    selector: str = ""


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A served kind. ``group`` is empty for the core group."""

    group: str = ""
    version: str = "v1"
    kind: str
    plural: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    schema: Document | None = None
    """The JSON schema of a kind that the schema table has not, for OpenAPI."""
    structure: Structure | None = None
    """The same compiled: what completes, prunes and checks the objects of a custom kind."""
    scale: ScalePaths | None = None
    """Where the subresource ``scale`` finds its numbers; None: there is none."""
    closing: bool = False
    """Whether its definition is being deleted: nothing new can be made."""
    deprecation: str = ""
    """What whoever uses this version is warned of."""
    singular_name: str = ""
    list_name: str = ""
    face: Face | None = None
    """Set where the objects are stored as another kind."""
    stored: bool = True
    """Whether objects are kept. Others are posted and answered, like a question."""
    status: bool = False
    """Whether status is written through ``/status`` alone."""
    status_metadata: bool = False
    """Whether ``/status`` also takes labels and annotations."""
    status_at_birth: bool = False
    """Whether a status given at creation is kept."""
    generation: bool = False
    """Whether ``metadata.generation`` counts changes beyond metadata and status."""
    needs_version: bool = False
    """Whether a PUT must carry the version that it replaces."""
    put_creates: bool = False
    """Whether a PUT to a missing object makes it."""
    delete_answers_object: bool = False
    """Whether a deletion answers the object that went, rather than a Status."""
    orphan_warning: str = ""
    """What a deletion without a policy is told, where that leaves dependents behind."""
    collection_deletes: bool = True
    """Whether DELETE on the collection is served."""
    name_rule: NameRule = wrong_subdomain
    fields: Mapping[str, str] = {}
    """What field selectors may name besides name and namespace, with the path of each."""
    immutable: Mapping[str, str] = {}
    """Paths of what never changes through the main path, with the reason of the refusal."""
    columns: tuple[Column, ...]
    cells: Cells
    admit: Admit = admit_anything
    change: Change = allow_any_change
    change_status: Change = allow_any_change
    mark_deleted: Callable[[Document], None] = mark_nothing
    """What a deletion changes in the object itself when it begins."""

    @property
    def key(self) -> str:
        """``plural`` or ``plural.group``: the name in the store."""
        if self.face is not None:
            return self.face.key
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def shown(self, document: Document) -> Document:
        """A stored object as this kind shows it."""
        return document if self.face is None else self.face.show(document)

    def as_stored(self, document: Document) -> Document:
        """An object as it was sent, in the form that is stored."""
        return document if self.face is None else self.face.store(document)

    @property
    def api_version(self) -> str:
        """As objects carry it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def type_name(self) -> str:
        """The name of its type in the schema table, if it has one there."""
        return type_name(self.group, self.version, self.kind)

    @property
    def singular(self) -> str:
        """The lower-case kind, unless its definition says otherwise."""
        return self.singular_name or self.kind.lower()

    @property
    def list_kind(self) -> str:
        """The kind of a list of them."""
        return self.list_name or f"{self.kind}List"

    @property
    def custom(self) -> bool:
        """Whether a definition in the store says what it is."""
        return self.structure is not None

    @property
    def selectable(self) -> frozenset[str]:
        """Every field that a field selector may name."""
        return frozenset({"metadata.name", "metadata.namespace", *self.fields})


class Registry:
    """The served kinds by group, version and plural. It changes with the definitions."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._groups: dict[tuple[str, str], dict[str, Resource]] = {}
        for resource in resources:
            self.serve(resource)

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Every served version of every kind."""
        return tuple(one for plurals in self._groups.values() for one in plurals.values())

    def serve(self, resource: Resource) -> None:
        """Serve a kind, or serve it in this way from now on."""
        group = self._groups.setdefault((resource.group, resource.version), {})
        group[resource.plural] = resource

    def withdraw(self, resource: Resource) -> None:
        """Serve it no longer; its group goes with its last kind."""
        group = self._groups.get((resource.group, resource.version), {})
        if group.get(resource.plural) is resource:
            del group[resource.plural]
        if not group:
            self._groups.pop((resource.group, resource.version), None)

    def serves(self, resource: Resource) -> bool:
        """Whether it is served, and in just this way."""
        group = self._groups.get((resource.group, resource.version), {})
        return group.get(resource.plural) is resource

    def group(self, group: str, version: str) -> Mapping[str, Resource] | None:
        """The kinds of a group and version by plural; None when it is not served."""
        return self._groups.get((group, version))

    def groups(self) -> tuple[tuple[str, str], ...]:
        """Group and version, the core group first; of one group its best version first."""
        order = {group: at for at, (group, _) in reversed(list(enumerate(self._groups)))}
        return tuple(sorted(self._groups, key=lambda pair: (order[pair[0]], rank(pair[1]))))

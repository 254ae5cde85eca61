"""The names of definitions: who has which of a group, and what is said where two want one."""

from collections.abc import Iterable, Mapping

import msgspec

from shoal.apiserver.registry import Resource
from shoal.dialect.document import Document
from shoal.dialect.paths import dig

ESTABLISHED = "Established"
ACCEPTED = "NamesAccepted"
TERMINATING = "Terminating"


class Taken(msgspec.Struct, frozen=True):
    """The names of a group that others have: of paths, and of kinds."""

    paths: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    def conflicts(self, definition: Document) -> list[tuple[str, str]]:
        """Reason and sentence for each name of a definition that is taken."""
        names = definition["spec"]["names"]
        wanted = (
            ("PluralConflict", (names["plural"],), self.paths),
            ("SingularConflict", (names.get("singular"),), self.paths),
            ("ShortNamesConflict", names.get("shortNames") or (), self.paths),
            ("KindConflict", (names["kind"],), self.kinds),
            ("ListKindConflict", (names.get("listKind"),), self.kinds),
        )
        return [
            (reason, f"{name} is taken by another kind of the group")
            for reason, given, taken in wanted
            for name in given
            if name in taken
        ]


def taken(group: str, builtin: Iterable[Resource], definitions: Iterable[Document]) -> Taken:
    """The names of a group that the built-in kinds and some definitions have."""
    paths: set[str] = set()
    kinds: set[str] = set()
    for resource in builtin:
        if resource.group == group:
            paths |= {resource.plural, resource.singular, *resource.short_names}
            kinds |= {resource.kind, resource.list_kind}
    for definition in definitions:
        if definition["spec"]["group"] == group:
            names = definition["spec"]["names"]
            short = names.get("shortNames") or ()
            paths |= {names["plural"], names.get("singular") or "", *short} - {""}
            kinds |= {names["kind"], names.get("listKind") or ""} - {""}
    return Taken(frozenset(paths), frozenset(kinds))


def judged(definition: Document, conflicts: list[tuple[str, str]], now: str) -> Document:
    """The status of a definition, given what stands against its names."""
    status = dict(definition.get("status") or {})
    if conflicts:
        reason, message = conflicts[0]
        told = {ACCEPTED: ("False", reason, message)}
        told[ESTABLISHED] = ("False", "NotAccepted", "not all names are accepted")
    else:
        status["acceptedNames"] = definition["spec"]["names"]
        told = {ACCEPTED: ("True", "NoConflicts", "no conflicts found")}
        told[ESTABLISHED] = ("True", "InitialNamesAccepted", "the names have been accepted")
    if definition["metadata"].get("deletionTimestamp"):
        why = "the objects of this kind are being deleted"
        told[TERMINATING] = ("True", "InstanceDeletionInProgress", why)
    status["conditions"] = _conditions(status.get("conditions") or [], told, now)
    return status


def is_established(definition: Document) -> bool:
    """Whether its names were accepted, now or earlier."""
    conditions = dig(definition, "status", "conditions") or ()
    return any(c.get("type") == ESTABLISHED and c.get("status") == "True" for c in conditions)


def _conditions(
    before: list[Document], told: Mapping[str, tuple[str, str, str]], now: str
) -> list[Document]:
    """The conditions with what is told now; one that says the same keeps its time."""
    known = {condition["type"]: condition for condition in before}
    for kind, (status, reason, message) in told.items():
        old = known.get(kind) or {}
        since = old.get("lastTransitionTime") if old.get("status") == status else None
        known[kind] = {
            "type": kind,
            "status": status,
            "lastTransitionTime": since or now,
            "reason": reason,
            "message": message,
        }
    return list(known.values())

"""What discovery tells of a served kind, whichever form it is asked in."""

from collections.abc import Iterable, Iterator

import msgspec

from shoal.apiserver.registry import Registry, Resource
from shoal.dialect import schema
from shoal.dialect.schema import Subresource

_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_BELOW = ("get", "patch", "update")


class Served(msgspec.Struct, frozen=True):
    """One kind of a group and version. ``builtin``: it is one of Kubernetes' own."""

    resource: Resource
    singular: str
    verbs: tuple[str, ...]
    subresources: tuple[Subresource, ...]
    builtin: bool

    @property
    def kind_of(self) -> tuple[str, str]:
        """Group and version as the aggregated form gives them: empty for Kubernetes' own."""
        return ("", "") if self.builtin else (self.resource.group, self.resource.version)


def served(resources: Iterable[Resource]) -> list[Served]:
    """The kinds as they are told, by plural."""
    return [_told(resource) for resource in sorted(resources, key=lambda one: one.plural)]


def is_builtin(group: str) -> bool:
    """Whether a group is one that Kubernetes has for itself."""
    return any(known == group for known, _, _ in schema.kinds())


def versions(registry: Registry) -> dict[str, list[str]]:
    """The served versions by group, the core group first, the preferred version first."""
    found: dict[str, list[str]] = {}
    for group, version in registry.groups():
        found.setdefault(group, []).append(version)
    return found


def _told(resource: Resource) -> Served:
    facts = schema.kinds().get((resource.group, resource.version, resource.plural))
    if facts is not None:
        subresources = tuple(sorted(facts.subresources, key=lambda one: one.name))
        return Served(resource, facts.singular, facts.verbs, subresources, builtin=True)
    return Served(resource, resource.singular, _VERBS, tuple(_below(resource)), builtin=False)


def _below(resource: Resource) -> Iterator[Subresource]:
    if resource.scale is not None:
        yield Subresource("scale", "Scale", _BELOW, "autoscaling", "v1")
    if resource.status:
        yield Subresource("status", resource.kind, _BELOW)

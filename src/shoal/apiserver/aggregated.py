"""Aggregated discovery: every group with its versions and kinds in one document."""

from typing import Any, Final

from shoal.apiserver.registry import Registry
from shoal.apiserver.served import Served, served, versions
from shoal.dialect.document import Document

CONTENT_TYPE: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def aggregated(registry: Registry, *, core: bool) -> Document:
    """The groups below ``/apis``, or the core group alone."""
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": [
            {
                "metadata": {"name": group} if group else {},
                "versions": [_version(registry, group, version) for version in offered],
            }
            for group, offered in versions(registry).items()
            if core is not bool(group)
        ],
    }


def _version(registry: Registry, group: str, version: str) -> Document:
    plurals = registry.group(group, version) or {}
    return {
        "version": version,
        "freshness": "Current",
        "resources": [_resource(one) for one in served(plurals.values())],
    }


def _resource(one: Served) -> Document:
    resource = one.resource
    entry: dict[str, Any] = {
        "resource": resource.plural,
        "responseKind": _kind(*one.kind_of, resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": one.singular,
        "verbs": one.verbs,
    }
    if resource.short_names:
        entry["shortNames"] = resource.short_names
    if resource.categories:
        entry["categories"] = resource.categories
    if one.subresources:
        entry["subresources"] = [
            {
                "subresource": sub.name,
                "responseKind": _kind(*_group_version(one, sub.group, sub.version), sub.kind),
                "verbs": sub.verbs,
            }
            for sub in one.subresources
        ]
    return entry


def _group_version(one: Served, group: str, version: str) -> tuple[str, str]:
    return (group, version) if group else one.kind_of


def _kind(group: str, version: str, kind: str) -> Document:
    return {"group": group, "version": version, "kind": kind}

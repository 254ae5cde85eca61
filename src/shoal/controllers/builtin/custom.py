"""The kinds that users have added to the server, as its discovery names them."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from shoal.api.kinds import Kind
from shoal.api.meta import Object, View
from shoal.controllers.builtin.garbage import KINDS
from shoal.kube.client import Client

_ACCEPT: Final = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
_KNOWN: Final = frozenset(
    {(kind.api_version.partition("/")[0], kind.plural) for kind in KINDS}
    | {("events.k8s.io", "events")}
)
_DELETABLE: Final = frozenset({"list", "deletecollection"})


class _Resource(View):
    resource: str = ""
    scope: str = ""
    verbs: list[str] = []
    response_kind: dict[str, Any] = {}


class _Version(View):
    version: str = ""
    resources: list[_Resource] = []


class _Group(View):
    metadata: dict[str, Any] = {}
    versions: list[_Version] = []


class _Groups(View):
    items: list[_Group] = []


async def custom_kinds(client: Client) -> list[Kind[Object]]:
    """The namespaced kinds that are not the server's own, each once. Raises ApiError."""
    body = await client.request("GET", "/apis", headers=_ACCEPT)
    return list(_kinds(msgspec.json.decode(body, type=_Groups)))


def _kinds(groups: _Groups) -> Iterator[Kind[Object]]:
    for group in groups.items:
        name, seen = str(group.metadata.get("name", "")), set()
        for version in group.versions:
            for one in version.resources:
                if one.resource in seen or (name, one.resource) in _KNOWN:
                    continue
                seen.add(one.resource)
                if one.scope == "Namespaced" and _DELETABLE.issubset(one.verbs):
                    kind = str(one.response_kind.get("kind", ""))
                    yield Kind(f"{name}/{version.version}", kind, one.resource, True, Object)

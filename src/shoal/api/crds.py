"""Our kinds as CustomResourceDefinitions: ``python -m shoal.api.crds`` prints them as YAML.

The embedded server lists the same ones; a real cluster serves our kinds by them.
"""

import functools
import sys
from typing import Any, Final

import msgspec

from shoal.api.kinds import GANGS, NODE_USES, QUEUES, RUNS, Kind
from shoal.api.meta import GROUP, VERSION
from shoal.api.run import MOST_REPLICAS, MOST_RETRIES
from shoal.api.schema import Schema, schema_of

_AGE: Final = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}


class _Shown(msgspec.Struct, frozen=True):
    """What a definition says besides the schema."""

    kind: Kind[Any]
    columns: tuple[dict[str, Any], ...] = ()
    categories: tuple[str, ...] = ()
    selectable: tuple[str, ...] = ()


def _column(name: str, path: str, kind: str = "string", priority: int = 0) -> dict[str, Any]:
    column = {"name": name, "type": kind, "jsonPath": path}
    return {**column, "priority": priority} if priority else column


_KINDS: Final = (
    _Shown(
        RUNS,
        (
            _column("Phase", ".status.phase"),
            _column("GPU", ".spec.gpu"),
            _column("Replicas", ".spec.replicas", "integer"),
            _AGE,
            _column("Message", ".status.message", priority=1),
        ),
        ("all",),
        (".status.phase", ".spec.queue"),
    ),
    _Shown(
        GANGS,
        (
            _column("Phase", ".status.phase"),
            _column("Members", ".spec.members", "integer"),
            _column("Pack", ".spec.pack", "boolean"),
            _AGE,
        ),
    ),
    _Shown(NODE_USES, (_AGE, _column("Pods", ".status.held[*].pod", priority=1))),
    _Shown(QUEUES, (_AGE,)),
)
_RANGES: Final = (
    ("Run", ("spec", "replicas"), {"minimum": 1, "maximum": MOST_REPLICAS}),
    ("Run", ("spec", "retry", "max"), {"minimum": 0, "maximum": MOST_RETRIES}),
)


@functools.cache
def schemas() -> dict[str, Schema]:
    """The schemas of our kinds by kind."""
    made = {shown.kind.name: schema_of(shown.kind.view) for shown in _KINDS}
    for kind, path, bounds in _RANGES:
        schema = made[kind]
        for name in path:
            schema = schema["properties"][name]
        schema.update(bounds)
    return made


def definitions(group: str = GROUP) -> list[dict[str, Any]]:
    """The definitions of our kinds, in our group or, for trying them, in another."""
    return [_definition(shown, group) for shown in _KINDS]


def _definition(shown: _Shown, group: str) -> dict[str, Any]:
    kind = shown.kind
    names: dict[str, Any] = {
        "plural": kind.plural,
        "singular": kind.name.lower(),
        "kind": kind.name,
        "listKind": f"{kind.name}List",
    }
    if shown.categories:
        names["categories"] = list(shown.categories)
    version: dict[str, Any] = {"name": VERSION, "served": True, "storage": True}
    version["schema"] = {"openAPIV3Schema": schemas()[kind.name]}
    version["subresources"] = {"status": {}}
    version["additionalPrinterColumns"] = list(shown.columns)
    if shown.selectable:
        version["selectableFields"] = [{"jsonPath": path} for path in shown.selectable]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "names": names,
            "versions": [version],
            "conversion": {"strategy": "None"},
        },
    }


def main() -> None:
    """Print the definitions as YAML."""
    import yaml

    yaml.safe_dump_all(definitions(), sys.stdout, sort_keys=False, allow_unicode=True)


if __name__ == "__main__":
    main()

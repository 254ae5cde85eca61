"""Makes ``src/shoal/dialect/field_types.json``: the types of the fields of Kubernetes' own kinds.

    python tools/field_types.py SCHEMAS.json... > src/shoal/dialect/field_types.json

The input is what a cluster says of itself, such as ``kubectl get --raw /openapi/v3/api/v1``, or
the schemas of such documents alone. Only what the served kinds reach is kept.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

_KINDS: Final = (
    "coordination.v1.Lease",
    "core.v1.ConfigMap",
    "core.v1.Event",
    "core.v1.Namespace",
    "core.v1.Node",
    "core.v1.Pod",
    "core.v1.Secret",
    "resource.v1.DeviceClass",
    "resource.v1.ResourceClaim",
    "resource.v1.ResourceClaimTemplate",
    "resource.v1.ResourceSlice",
    "scheduling.v1.PriorityClass",
)
_SCALARS: Final = {"string": "text", "integer": "whole", "boolean": "flag"}
_NAMED: Final = {
    "IntOrString": "whole or text",
    "MicroTime": "time",
    "Quantity": "amount",
    "Time": "time",
}
_DROPPED: Final = frozenset({"managedFields"})
"""Fields that the server removes before it looks at an object."""

Schema = dict[str, Any]


def main() -> None:
    """Read the schemas, print the table, one struct a line."""
    schemas: dict[str, Schema] = {}
    for file in sys.argv[1:]:
        document = json.loads(Path(file).read_bytes())
        found = document.get("components", {}).get("schemas", document)
        schemas |= {_short(name): schema for name, schema in found.items()}
    lines = (f'"{name}":{json.dumps(fields)}' for name, fields in sorted(_table(schemas).items()))
    print("{\n" + ",\n".join(lines) + "\n}")


def _table(schemas: dict[str, Schema]) -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = {}
    wanted = list(_KINDS)
    while wanted:
        name = wanted.pop()
        if name in table:
            continue
        fields = schemas[name]["properties"]
        table[name] = {field: _type(fields[field]) for field in sorted(fields.keys() - _DROPPED)}
        inner = (text.replace("[]", "").replace("{}", "") for text in table[name].values())
        wanted += [text for text in inner if schemas.get(text, {}).get("properties")]
    return table


def _type(schema: Schema) -> str:
    """A scalar or a struct by name; ``[]`` before what a list holds, ``{}`` what a map holds."""
    if "allOf" in schema:
        return _type(schema["allOf"][0])
    if "$ref" in schema:
        name = _short(schema["$ref"].rpartition("/")[2])
        last = name.rpartition(".")[2]
        return _NAMED.get(last, "any" if last == "RawExtension" else name)
    if "items" in schema:
        return "[]" + _type(schema["items"])
    if "additionalProperties" in schema:
        return "{}" + _type(schema["additionalProperties"])
    return _SCALARS.get(schema["type"], "any")


def _short(name: str) -> str:
    return name.removeprefix("io.k8s.api.").removeprefix("io.k8s.apimachinery.pkg.apis.")


if __name__ == "__main__":
    main()

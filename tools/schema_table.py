"""Makes ``schema.json`` and ``protobuf.json`` in ``src/shoal/dialect``: what the served kinds are.

    python tools/schema_table.py FACTS [TARGET]

FACTS is a folder with ``schemas.json`` (the component schemas that a cluster publishes, without
prose), ``resources.json`` (what discovery tells of each resource) and ``protobuf.json`` (message
numbers). Only what the served kinds reach is kept. ``schema_annotations.py`` adds our part.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from schema_annotations import BESIDES, DEFAULTS, KINDS, NULLS

Json = dict[str, Any]

_HOME: Final = Path(__file__).parents[1] / "src/shoal/dialect"
_LEAVES: Final = {
    "apiextensions.v1.JSON": "any",
    "apiextensions.v1.JSONSchemaPropsOrArray": "any",
    "apiextensions.v1.JSONSchemaPropsOrBool": "any",
    "apiextensions.v1.JSONSchemaPropsOrStringArray": "any",
    "meta.v1.FieldsV1": "object",
    "meta.v1.MicroTime": "microtime",
    "meta.v1.Time": "time",
    "runtime.RawExtension": "object",
    "IntOrString": "whole or text",
    "Quantity": "amount",
}
_SCALARS: Final = {
    ("boolean", ""): "flag",
    ("integer", "int32"): "whole32",
    ("integer", "int64"): "whole",
    ("number", "double"): "number",
    ("object", ""): "object",
    ("string", ""): "text",
    ("string", "byte"): "bytes",
}
_NOTES: Final = {
    "enum": "enum",
    "x-kubernetes-list-map-keys": "list_keys",
    "x-kubernetes-list-type": "list_type",
    "x-kubernetes-map-type": "map_type",
    "x-kubernetes-patch-merge-key": "merge_key",
    "x-kubernetes-patch-strategy": "merge_strategy",
}
_PREFIXES: Final = (
    "io.k8s.apiextensions-apiserver.pkg.apis.",
    "io.k8s.apimachinery.pkg.api.resource.",
    "io.k8s.apimachinery.pkg.apis.",
    "io.k8s.apimachinery.pkg.util.intstr.",
    "io.k8s.apimachinery.pkg.",
    "io.k8s.api.",
    "k8s.io.apiextensions_apiserver.pkg.apis.",
    "k8s.io.apimachinery.pkg.api.resource.",
    "k8s.io.apimachinery.pkg.apis.",
    "k8s.io.apimachinery.pkg.util.intstr.",
    "k8s.io.apimachinery.pkg.",
    "k8s.io.api.",
)


def main() -> None:
    """Read the facts, write both tables, a line a type."""
    facts = Path(sys.argv[1])
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else _HOME
    schemas = _by_short_name(facts / "schemas.json")
    kinds = list(_kinds(json.loads((facts / "resources.json").read_bytes())))
    roots = [*(kind["type"] for kind in kinds), *BESIDES]
    types = _reached(roots, lambda name: _type(name, schemas[name]), _types_of)
    messages = _by_short_name(facts / "protobuf.json")
    wire = _reached(
        ["runtime.Unknown", *(root for root in roots if root in messages)],
        lambda name: _message(name, messages, schemas.get(name, {}).get("properties", {})),
        lambda message: (field[1] for field in message.values()),
    )
    _write(target / "schema.json", [_object("types", types), _list("kinds", kinds)])
    _write(target / "protobuf.json", [_object("messages", wire)])


def _by_short_name(file: Path) -> dict[str, Json]:
    return {_short(name): fact for name, fact in json.loads(file.read_bytes()).items()}


def _reached(
    roots: Iterable[str],
    make: Callable[[str], Json],
    names: Callable[[Json], Iterable[str]],
) -> dict[str, Json]:
    """What ``make`` makes of the roots and of every name that this mentions."""
    made: dict[str, Json] = {}
    wanted = list(roots)
    while wanted:
        name = wanted.pop()
        if name not in made:
            made[name] = make(name)
            inner = (text.replace("[]", "").replace("{}", "") for text in names(made[name]))
            wanted += [text for text in inner if "." in text or text in _WIRE_ONLY]
    return dict(sorted(made.items()))


_WIRE_ONLY: Final = frozenset({"IntOrString", "Quantity"})
"""Messages of the wire without a package in their short name."""


def _types_of(made: Json) -> Iterable[str]:
    return (f if isinstance(f, str) else f["type"] for f in made["fields"].values())


def _type(name: str, schema: Json) -> Json:
    defaults = DEFAULTS.get(name, {})
    made: Json = {
        "fields": {
            field: _field(inner, defaults.get(field), null=field in NULLS.get(name, ()))
            for field, inner in sorted(schema.get("properties", {}).items())
        }
    }
    if unknown := defaults.keys() - made["fields"].keys():
        raise SystemExit(f"{name} has no {', '.join(sorted(unknown))}; see DEFAULTS")
    if schema.get("required"):
        made["required"] = schema["required"]
    return made


def _field(schema: Json, default: Any, *, null: bool) -> str | Json:  # noqa: ANN401
    """A field as its type alone, or with what else there is to say of it."""
    field: Json = {"type": _type_of(schema)}
    field |= {ours: schema[theirs] for theirs, ours in _NOTES.items() if theirs in schema}
    if "default" in schema and not schema["default"]:
        field["zero"] = True
    else:
        field |= {"default": schema["default"]} if "default" in schema else {}
    if default is not None:
        field["default"] = default
    if null:
        field["null"] = True
    return field if len(field) > 1 else str(field["type"])


def _type_of(schema: Json) -> str:
    """A scalar or a type by name; ``[]`` before what a list holds, ``{}`` what a map holds."""
    if "allOf" in schema:
        return _type_of(schema["allOf"][0])
    if "$ref" in schema:
        name = _short(schema["$ref"].rpartition("/")[2])
        return _LEAVES.get(name, name)
    if "items" in schema:
        return "[]" + _type_of(schema["items"])
    if "additionalProperties" in schema:
        return "{}" + _type_of(schema["additionalProperties"])
    return _SCALARS[schema["type"], schema.get("format", "")]


def _kinds(resources: list[Json]) -> Iterable[Json]:
    for resource in resources:
        group, version = _group_version(resource)
        ours = KINDS.get((group, resource["name"]))
        if ours is None:
            continue
        kind = {
            "group": group,
            "version": version,
            "kind": resource["kind"],
            "plural": resource["name"],
            "singular": resource["singularName"],
            "namespaced": resource["namespaced"],
            "verbs": resource["verbs"],
            "type": f"{group.partition('.')[0] or 'core'}.{version}.{resource['kind']}",
            "short_names": resource.get("shortNames", []),
            "categories": resource.get("categories", []),
            **ours,
            "selectable": _paths(ours.get("selectable", [])),
            "subresources": _subresources(resource, ours.get("subresources", []), resources),
        }
        yield {key: value for key, value in kind.items() if value not in ([], {})}


def _group_version(resource: Json) -> tuple[str, str]:
    group, _, version = resource["groupVersion"].rpartition("/")
    return group, version


def _paths(selectable: list[str] | dict[str, str]) -> dict[str, str]:
    return selectable if isinstance(selectable, dict) else {path: path for path in selectable}


def _subresources(resource: Json, served: list[str], resources: list[Json]) -> list[Json]:
    wanted = {f"{resource['name']}/{name}": name for name in served}
    found = [
        {
            "name": wanted[other["name"]],
            "kind": other["kind"],
            "verbs": other["verbs"],
            **{key: other[key] for key in ("group", "version") if key in other},
        }
        for other in resources
        if other["groupVersion"] == resource["groupVersion"] and other["name"] in wanted
    ]
    if len(found) != len(served):
        raise SystemExit(f"{resource['name']} has not all of the subresources {served}")
    return found


def _message(name: str, messages: dict[str, Json], properties: Json) -> Json:
    """Number to JSON name and type, in the notation of the schemas' types.

    A field of a message that the facts lack is left out: a reader skips its bytes.
    """
    package = name.rpartition(".")[0]
    fields: Json = {}
    for number, field in sorted(messages[name].items(), key=lambda pair: int(pair[0])):
        kind = ("[]" if len(field) > 2 else "") + _wire_type(package, field[1])
        if _is_known(kind, messages):
            fields[number] = [_json_name(field[0], kind, properties), kind]
    return fields


def _json_name(name: str, kind: str, properties: Json) -> str:
    """As JSON spells the field; empty where its own fields stand in its place."""
    if not properties or name in properties:
        return name
    dashed = re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)
    near = (other for other in properties if other.lower() == name.lower())
    found = next((text for text in (dashed, f"${name}", next(near, "")) if text in properties), "")
    if not found and "." not in kind:
        raise SystemExit(f"{name} is in none of {', '.join(properties)}")
    return found


def _is_known(text: str, messages: dict[str, Json]) -> bool:
    name = text.replace("[]", "").replace("{}", "")
    return "." not in name or name in messages


def _wire_type(package: str, name: str) -> str:
    if name.startswith("map<string,"):
        return "{}" + _wire_type(package, name[len("map<string,") : -1])
    if "." in name:
        return _short(name.removeprefix("."))
    return f"{package}.{name}" if name[0].isupper() and package else name


def _short(name: str) -> str:
    return next((name[len(p) :] for p in _PREFIXES if name.startswith(p)), name)


def _object(name: str, values: dict[str, Json]) -> str:
    lines = (f"{_text(key)}:{_text(value)}" for key, value in values.items())
    return f'"{name}":{{\n' + ",\n".join(lines) + "\n}"


def _list(name: str, values: list[Json]) -> str:
    return f'"{name}":[\n' + ",\n".join(map(_text, values)) + "\n]"


def _text(value: Json | str) -> str:
    return json.dumps(value, separators=(",", ":"))


def _write(file: Path, parts: list[str]) -> None:
    file.write_text("{" + ",\n".join(parts) + "}\n")


if __name__ == "__main__":
    main()

"""Requests made from an OpenAPI document by a seeded hand: some as it says, most nearly so."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Schemas = dict[str, Any]
DEEPEST = 4
ODD: list[Any] = [
    None, True, False, 0, -1, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, "", " ", "a", "-", "x" * 300,
    "\u0000", "\ud7ff\U0001f600", "../..", "%2e", "1Gi", "9e99", "2026-01-01T00:00:00Z", "a/b",
    [], [[]], [None], {}, {"": ""}, {"a": {"b": []}}, {"$patch": "delete"}, [{"name": "a"}] * 2,
]  # fmt: skip
QUERIES: dict[str, list[str]] = {
    "fieldSelector": ["metadata.name=a", "=", "a", "status.phase!=", "a=b,c=d", "\u00e9=1"],
    "labelSelector": ["a=b", "a in (b,c)", "a in (", "!a", "a>1", "a notin ()", "=", "\u0000"],
    "limit": ["1", "0", "-1", "9" * 30, "a"],
    "continue": ["a", "e30", "e30=", "\u00ff", "bm90IGpzb24"],
    "resourceVersion": ["0", "1", "-1", "a", "9" * 18, "9" * 30],
    "resourceVersionMatch": ["Exact", "NotOlderThan", "a"],
    "dryRun": ["All", "None", ""],
    "fieldManager": ["a", "x" * 200, "\u0000"],
    "fieldValidation": ["Strict", "Warn", "Ignore", "Other"],
    "gracePeriodSeconds": ["0", "-1", "a", "9" * 30],
    "propagationPolicy": ["Orphan", "Background", "Foreground", "Other"],
    "timeoutSeconds": ["1", "a"],
    "pretty": ["true", "maybe"],
    "container": ["a"],
    "tailLines": ["1", "-1", "a"],
}
TYPES = {
    "PATCH": [
        "application/merge-patch+json",
        "application/json-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
        "application/json",
    ],
    "": ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
}
ACCEPTS = [
    "application/json",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf",
    "*/*",
    "text/html;q=a",
]


@dataclass
class Made:
    """One request."""

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None


def requests(documents: list[dict[str, Any]], seed: int, each: int) -> Iterator[Made]:
    """``each`` requests for every operation of the documents."""
    dice = random.Random(seed)
    for document in documents:
        schemas = document.get("components", {}).get("schemas", {})
        for path, operations in sorted(document["paths"].items()):
            for method in sorted({"get", "post", "put", "patch", "delete"} & operations.keys()):
                for _ in range(each):
                    yield _request(dice, schemas, path, method.upper(), operations[method])


def _request(
    dice: random.Random, schemas: Schemas, path: str, method: str, operation: dict[str, Any]
) -> Made:
    made = Made(method, _path(dice, path))
    for name in dice.sample(sorted(QUERIES), dice.choice((0, 0, 0, 1, 2))):
        made.query[name] = dice.choice(QUERIES[name])
    made.headers["Accept"] = dice.choice(ACCEPTS if dice.random() < 0.5 else ACCEPTS[:1])
    if method in ("POST", "PUT", "PATCH") or (method == "DELETE" and dice.random() < 0.5):
        kinds = TYPES.get(method, TYPES[""])
        kind = made.headers["Content-Type"] = dice.choice(
            kinds if dice.random() < 0.4 else kinds[:1]
        )
        made.body = _body(dice, schemas, operation, kind)
    return made


def _path(dice: random.Random, path: str) -> str:
    names = ("a", "b", "c", "default", "A_b", "x" * 260, "%00", "%e9", "a%2Fb")
    for variable in ("{namespace}", "{name}", "{path}"):
        common = "default" if variable == "{namespace}" else dice.choice("abc")
        path = path.replace(variable, common if dice.random() < 0.9 else dice.choice(names))
    return path


def _body(dice: random.Random, schemas: Schemas, operation: dict[str, Any], kind: str) -> bytes:
    schema = _schema_of(operation)
    value = _value(dice, schemas, schema, 0)
    if kind == "application/json-patch+json":
        value = _json_patch(dice)
    elif isinstance(value, dict) and dice.random() < 0.9:
        value = {name: part for name, part in value.items() if name not in ("kind", "apiVersion")}
        value["metadata"] = {"name": dice.choice("abc")} | _rarely(dice, value.get("metadata"))
    for _ in range(dice.choice((0, 0, 1, 1, 3))):
        value = _spoiled(dice, value)
    text = json.dumps(value).encode()
    if kind.endswith("protobuf"):
        return b"k8s\0" + dice.randbytes(dice.randrange(60))
    return text if dice.random() < 0.97 else text[: dice.randrange(len(text) + 1)]


def _rarely(dice: random.Random, value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) and dice.random() < 0.3 else {}


def _schema_of(operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    for kind in content.values():
        if "schema" in kind:
            schema: dict[str, Any] = kind["schema"]
            return schema
    return {"type": "object"}


def _json_patch(dice: random.Random) -> Any:
    paths = (
        "/metadata/labels/a",
        "/spec",
        "/spec/containers/0/image",
        "/",
        "",
        "a",
        "/metadata/name",
    )
    return [
        {
            "op": dice.choice(("add", "remove", "replace", "move", "copy", "test", "other")),
            "path": dice.choice(paths),
            "from": dice.choice(paths),
            "value": dice.choice(ODD),
        }
        for _ in range(dice.randrange(4))
    ]


def _value(dice: random.Random, schemas: Schemas, schema: dict[str, Any], depth: int) -> Any:
    """Something that a schema describes, with a part of its fields."""
    while "$ref" in schema or "allOf" in schema:
        one = schema if "$ref" in schema else schema["allOf"][0]
        schema = schemas.get(one.get("$ref", "").rpartition("/")[2], {})
    if "enum" in schema:
        return dice.choice(schema["enum"])
    kind = schema.get("type", "string" if "properties" not in schema else "object")
    if kind == "object":
        return _object(dice, schemas, schema, depth)
    if kind == "array":
        many = dice.randrange(3) if depth < DEEPEST else 0
        return [_value(dice, schemas, schema.get("items", {}), depth + 1) for _ in range(many)]
    plain = {"integer": (0, 1, 80, -1), "number": (0.5, 2), "boolean": (True, False)}
    return dice.choice(plain.get(kind, ("a", "1", "default", "host", "1Gi", "sleep 1")))


def _object(dice: random.Random, schemas: Schemas, schema: dict[str, Any], depth: int) -> Any:
    if depth >= DEEPEST:
        return {}
    fields = schema.get("properties", {})
    wanted = [
        name
        for name in fields
        if name in schema.get("required", ()) or dice.random() < (0.5 if depth < 2 else 0.15)
    ]
    made = {name: _value(dice, schemas, fields[name], depth + 1) for name in wanted}
    if isinstance(schema.get("additionalProperties"), dict):
        made["a"] = _value(dice, schemas, schema["additionalProperties"], depth + 1)
    return made


def _spoiled(dice: random.Random, value: Any) -> Any:
    """The value with one thing in it that is not as it should be."""
    if isinstance(value, dict) and value and dice.random() < 0.85:
        name = dice.choice(sorted(value))
        return value | {name: _spoiled(dice, value[name])}
    if isinstance(value, list) and value and dice.random() < 0.85:
        place = dice.randrange(len(value))
        return [*value[:place], _spoiled(dice, value[place]), *value[place + 1 :]]
    if isinstance(value, dict) and dice.random() < 0.5:
        return value | {dice.choice(("bogus", "", "a.b", "status", "kind")): dice.choice(ODD)}
    return dice.choice(ODD)

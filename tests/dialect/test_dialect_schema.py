"""The table of Kubernetes' kinds: whole, consistent, and what the generator makes of the facts."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.recorded import ROOT, needs_recorded

from shoal.dialect.scalars import SCALARS
from shoal.dialect.schema import kinds, protobuf_messages, types

PROJECT = Path(__file__).parents[2]
WIRE_SCALARS = {"string", "bytes", "bool", "int32", "int64", "double"}


def inner(kind: str) -> str:
    return kind.replace("[]", "").replace("{}", "")


def test_every_type_that_a_field_names_is_there():
    named = {inner(field.type) for type_ in types().values() for field in type_.fields.values()}
    assert named <= types().keys() | SCALARS.keys()


def test_every_message_that_a_field_names_is_there():
    messages = protobuf_messages()
    named = {inner(kind) for fields in messages.values() for _, kind in fields.values()}
    assert named <= messages.keys() | WIRE_SCALARS


def test_a_kind_names_only_fields_that_it_has():
    for facts in kinds().values():
        for path in (*facts.selectable.values(), *facts.immutable):
            kind = "core.v1.Event" if facts.kind == "Event" else facts.type
            for step in path.split("."):
                kind = types()[kind].fields[step].type


def test_required_fields_and_keys_are_fields():
    for type_ in types().values():
        assert set(type_.required) <= type_.fields.keys()
        for field in type_.fields.values():
            keys = {*field.list_keys, *([field.merge_key] if field.merge_key else [])}
            if keys and inner(field.type) in types():
                assert keys <= types()[inner(field.type)].fields.keys()


@pytest.mark.parametrize(
    ("name", "field", "key"),
    [
        ("core.v1.PodSpec", "containers", "name"),
        ("core.v1.PodSpec", "tolerations", ""),
        ("core.v1.Container", "ports", "containerPort"),
        ("core.v1.ServiceAccount", "secrets", "name"),
        ("core.v1.ServiceAccount", "imagePullSecrets", ""),
        ("meta.v1.ObjectMeta", "ownerReferences", "uid"),
    ],
)
def test_lists_merge_by_the_keys_that_clients_know(name, field, key):
    assert types()[name].fields[field].merge_key == key


@needs_recorded
def test_the_tables_are_what_the_generator_makes_of_the_facts(tmp_path):
    program = PROJECT / "tools/schema_table.py"
    subprocess.run([sys.executable, program, Path(ROOT) / "schema", tmp_path], check=True)
    for name in ("schema.json", "protobuf.json"):
        made = PROJECT / "src/shoal/dialect" / name
        assert (tmp_path / name).read_bytes() == made.read_bytes()

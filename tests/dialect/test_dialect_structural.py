"""Structural schemas: defaults, pruning and checks, for any schema and any value."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dialect.conform import conform
from shoal.dialect.scalars import Misfit
from shoal.dialect.schema import types
from shoal.dialect.status import Cause
from shoal.dialect.structural.columns import column_cell, wrong_path
from shoal.dialect.structural.definition import fit_schema, schema_causes
from shoal.dialect.structural.patterns import PatternError, pattern
from shoal.dialect.structural.structure import Structure

NAMES = ("a", "b", "c")
INT, TEXT = {"type": "integer"}, {"type": "string"}


def spec(**properties):
    return Structure(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    )


def causes(structure, old=None, **fields):
    before = None if old is None else {"spec": old}
    return {
        (c.reason.removeprefix("FieldValue"), c.field)
        for c in structure.causes({"spec": fields}, before)
    }


def completed(structure, **fields):
    document = {"spec": fields}
    structure.complete(document)
    return document["spec"]


def test_defaults_stand_where_nothing_was_given():
    inner = {"type": "object", "default": {}, "properties": {"deep": {**INT, "default": 3}}}
    listed = {
        "type": "array",
        "items": {"type": "object", "properties": {"x": {**TEXT, "default": "y"}}},
    }
    structure = spec(a={**INT, "default": 1}, b=inner, c=listed)
    assert completed(structure, c=[{}, {"x": "z"}]) == {
        "a": 1,
        "b": {"deep": 3},
        "c": [{"x": "y"}, {"x": "z"}],
    }


def test_a_null_takes_the_default_or_goes_or_stays():
    structure = spec(a={**INT, "default": 1}, b=INT, c={**INT, "nullable": True})
    assert completed(structure, a=None, b=None, c=None) == {"a": 1, "c": None}


def test_a_default_is_not_shared():
    structure = spec(a={"type": "array", "items": INT, "default": []})
    completed(structure)["a"].append(1)
    assert completed(structure) == {"a": []}


def test_what_the_schema_does_not_name_is_dropped_and_told():
    structure = spec(
        a={"type": "object", "properties": {"x": INT}},
        b={"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        c={"type": "array", "items": {"type": "object", "properties": {"x": INT}}},
    )
    document = {
        "apiVersion": "v1",
        "metadata": {"name": "n", "odd": 1},
        "spec": {"a": {"x": 1, "y": 2}, "b": {"z": [None]}, "c": [{"y": 1}], "d": 4},
        "other": 1,
    }
    told = ["metadata.odd", "other", "spec.a.y", "spec.c[0].y", "spec.d"]
    assert structure.prune(document) == told
    assert document["spec"] == {"a": {"x": 1}, "b": {"z": [None]}, "c": [{}]}


def test_an_embedded_object_keeps_what_makes_it_one():
    structure = spec(
        a={"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"x": INT}}
    )
    document = {"spec": {"a": {"kind": "K", "metadata": {"name": "n", "odd": 1}, "x": 1, "y": 1}}}
    assert structure.prune(document) == ["spec.a.metadata.odd", "spec.a.y"]
    assert causes(structure, **document["spec"]) == {("Required", "spec.a.apiVersion")}


@pytest.mark.parametrize(
    ("schema", "value", "reason"),
    [
        (INT, "1", "TypeInvalid"),
        (INT, True, "TypeInvalid"),
        (INT, 1.5, "TypeInvalid"),
        ({"type": "number"}, "x", "TypeInvalid"),
        (TEXT, 1, "TypeInvalid"),
        (TEXT, None, "TypeInvalid"),
        ({"type": "boolean"}, 1, "TypeInvalid"),
        ({"x-kubernetes-int-or-string": True}, [], "TypeInvalid"),
        ({**INT, "minimum": 1}, 0, "Invalid"),
        ({**INT, "maximum": 1, "exclusiveMaximum": True}, 1, "Invalid"),
        ({**INT, "multipleOf": 3}, 4, "Invalid"),
        ({**INT, "format": "int32"}, 1 << 31, "TypeInvalid"),
        ({**TEXT, "minLength": 1}, "", "Invalid"),
        ({**TEXT, "maxLength": 1}, "éé", "TooLong"),
        ({**TEXT, "pattern": "^a+$"}, "aab", "Invalid"),
        ({**TEXT, "pattern": "^a$"}, "a\n", "Invalid"),
        ({**TEXT, "enum": ["x"]}, "y", "NotSupported"),
        ({**INT, "enum": [1]}, 2, "NotSupported"),
        ({**TEXT, "format": "date-time"}, "2026-02-30T00:00:00Z", "TypeInvalid"),
        ({**TEXT, "format": "ipv4"}, "1.2.3", "TypeInvalid"),
        ({**TEXT, "format": "uuid"}, "x", "TypeInvalid"),
        ({**TEXT, "format": "byte"}, "=", "TypeInvalid"),
        ({**TEXT, "format": "duration"}, "1 day", "TypeInvalid"),
        ({"type": "array", "items": INT, "maxItems": 1}, [1, 2], "TooMany"),
        ({"type": "object", "additionalProperties": INT, "minProperties": 1}, {}, "Invalid"),
        ({**INT, "anyOf": [{"minimum": 5}, {"maximum": 1}]}, 3, "Invalid"),
        ({**INT, "oneOf": [{"minimum": 1}, {"maximum": 5}]}, 3, "Invalid"),
        ({**INT, "allOf": [{"minimum": 5}]}, 3, "Invalid"),
        ({**INT, "not": {"enum": [3]}}, 3, "Invalid"),
    ],
)
def test_a_value_is_refused(schema, value, reason):
    assert (reason, "spec.a") in causes(spec(a=schema), a=value)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INT, 1.0),
        ({"type": "number"}, 1),
        ({**TEXT, "nullable": True}, None),
        ({"x-kubernetes-int-or-string": True}, "50%"),
        ({**TEXT, "format": "date-time"}, "2026-02-28T23:59:60.5+01:00"),
        ({**TEXT, "format": "unheard-of"}, "x"),
        ({**INT, "oneOf": [{"minimum": 5}, {"maximum": 1}]}, 7),
        ({**INT, "not": {"enum": [3]}}, 4),
    ],
)
def test_a_value_is_taken(schema, value):
    assert causes(spec(a=schema), a=value) == set()


def test_items_are_told_apart():
    keyed = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "properties": {"name": TEXT, "x": INT}},
    }
    structure = spec(a={"type": "array", "x-kubernetes-list-type": "set", "items": INT}, b=keyed)
    assert causes(structure, a=[1, 2, 1]) == {("Duplicate", "spec.a[2]")}
    assert causes(structure, b=[{"name": "n", "x": 1}, {"name": "n", "x": 2}]) == {
        ("Duplicate", "spec.b[1]")
    }


def test_what_was_wrong_before_and_did_not_change_is_let_be():
    structure = spec(a={**INT, "minimum": 5}, b=INT)
    assert causes(structure, {"a": 1, "b": 1}, a=1, b=2) == set()
    assert causes(structure, {"a": 1}, a=2) == {("Invalid", "spec.a")}


RULED = {
    "type": "object",
    "properties": {"a": INT, "b": INT},
    "x-kubernetes-validations": [{"rule": "self.a <= self.b", "message": "a is more than b"}],
}


def test_a_rule_is_told_at_its_place_and_only_of_what_is_else_in_order():
    structure = spec(r=RULED, s=INT)
    assert causes(structure, r={"a": 2, "b": 1}) == {("Invalid", "spec.r")}
    assert causes(structure, r={"a": 2, "b": 1}, s="x") == {
        ("TypeInvalid", "spec.s"),
        ("Invalid", "<nil>"),
    }
    (cause,) = structure.causes({"spec": {"r": {"a": 1}}})
    assert "no field b" in cause.message


def test_a_rule_sees_broken_numbers_and_times_as_such():
    half = {"type": "number", "x-kubernetes-validations": [{"rule": "self / 2.0 > 1.0"}]}
    when = {**TEXT, "format": "date-time"}
    early = {
        **when,
        "x-kubernetes-validations": [{"rule": "self < timestamp('2026-01-01T00:00:00Z')"}],
    }
    assert causes(spec(a=half, b=early), a=3, b="2025-12-31T23:00:00Z") == set()
    assert causes(spec(a=half, b=early), a=2, b="2026-01-01T00:00:00Z") == {
        ("Invalid", "spec.a"),
        ("Invalid", "spec.b"),
    }


def test_a_rule_may_look_back_on_what_was_not_there():
    rule = {"rule": "oldSelf.optMap(old, self > old).orValue(self == 1)", "optionalOldSelf": True}
    structure = spec(n={**INT, "x-kubernetes-validations": [rule]})
    assert causes(structure, n=1) == set()
    assert causes(structure, n=2) == {("Invalid", "spec.n")}
    old = {"spec": {"n": 1}}
    assert structure.causes({"spec": {"n": 2}}, old) == []
    assert len(structure.causes({"spec": {"n": 1}}, old)) == 1


def test_a_rule_that_looks_back_follows_items_by_their_keys():
    fixed = {**INT, "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed"}]}
    listed = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "properties": {"name": TEXT, "x": fixed}},
    }
    structure = spec(a=listed)
    one, two = {"name": "one", "x": 1}, {"name": "two", "x": 2}
    assert causes(structure, a=[one, two]) == set()
    assert causes(structure, {"a": [one, two]}, a=[two, one, {"name": "new", "x": 3}]) == set()
    assert causes(structure, {"a": [one, two]}, a=[two, {"name": "one", "x": 9}]) == {
        ("Invalid", "spec.a[1].x")
    }


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"properties": {}}, "s.type"),
        ({"type": "string"}, "s.type"),
        ({"type": "object", "properties": {"a": {}}}, "s.properties[a].type"),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "s.properties[a].items"),
        ({"type": "object", "$ref": "#/x"}, "s.$ref"),
        ({"type": "object", "additionalProperties": False}, "s.additionalProperties"),
        (
            {"type": "object", "properties": {"a": {**INT, "default": "x"}}},
            "s.properties[a].default",
        ),
        (
            {"type": "object", "properties": {"a": {**TEXT, "pattern": "("}}},
            "s.properties[a].pattern",
        ),
        ({"type": "object", "anyOf": [{"properties": {"a": {"minimum": 1}}}]}, "s.properties[a]"),
        ({"type": "object", "anyOf": [{"type": "object"}]}, "s.anyOf[0].type"),
        (
            {"type": "object", "x-kubernetes-validations": [{"rule": "self.a > nobody"}]},
            "s.x-kubernetes-validations[0].rule",
        ),
        (
            {
                "type": "object",
                "x-kubernetes-validations": [{"rule": "self == oldSelf", "optionalOldSelf": True}],
            },
            "s.x-kubernetes-validations[0].rule",
        ),
        (
            {
                "type": "object",
                "properties": {
                    "a": {"type": "array", "items": INT, "x-kubernetes-list-type": "map"}
                },
            },
            "s.properties[a].x-kubernetes-list-map-keys",
        ),
    ],
)
def test_a_schema_is_refused(schema, field):
    assert field in [cause.field for cause in schema_causes(schema, "s")]


TYPED = {
    "type": "object",
    "properties": {
        "i": {"type": "integer"},
        "n": {"type": "number"},
        "s": {"type": "string"},
        "b": {"type": "boolean"},
        "t": {"type": "string", "format": "date-time"},
        "d": {"type": "string", "format": "duration"},
        "x-y": {"type": "string"},
        "l": {"type": "array", "items": {"type": "string"}},
        "o": {
            "type": "array",
            "items": {"type": "object", "properties": {"p": {"type": "integer"}}},
        },
        "m": {"type": "object", "additionalProperties": {"type": "integer"}},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "port": {"x-kubernetes-int-or-string": True},
        "pod": {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "properties": {"spec": {"type": "object", "properties": {}}},
        },
    },
}


def ruled(rule, **more):
    rules = [{"rule": rule, **more}]
    return schema_causes({**TYPED, "x-kubernetes-validations": rules}, "s")


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("self.nope == 1", "the field nope, which is not in the schema"),
        ("has(self.nope)", "the field nope"),
        ("self.?nope.hasValue()", "the field nope"),
        ("self.o.all(x, x.q > 0)", "the field q, which is not in the schema; it has p"),
        ("self.o[0].q == 1", "the field q"),
        ("self.o.all(i, x, i + x.q > 0)", "the field q"),
        ("self.o.filter(x, x.p > 0).exists(x, x.q > 0)", "the field q"),
        ("self.o.first().optMap(x, x.q).hasValue()", "the field q"),
        ("cel.bind(x, self.o[0], x.q == 1)", "the field q"),
        ("self.metadata.labels.size() > 0", "the field labels"),
        ("self.pod.metadata.uid == ''", "the field uid"),
        ("self.i.p == 1", "asks a int for the field p"),
        ("self.i == 'a'", "== between int and string"),
        ("self.s != 1", "!= between string and int"),
        ("self.n == 1", "== between double and int"),
        ("self.i == 1 && self.s == self.b", "== between string and bool"),
        ("self.l == ['a'] || self.l == [1]", "== between list of string and list of int"),
        ("self.l.all(x, x == 1)", "== between string and int"),
        ("self.m.all(k, k == 1)", "== between string and int"),
        ("self.m.all(k, v, v == k)", "== between int and string"),
        ("self.m['a'] == 'b'", "== between int and string"),
        ("1 in self.l", "in between int and list of string"),
        ("self.s < 1", "< between string and int"),
        ("self.t < self.d", "< between timestamp and duration"),
        ("self.l < self.l", "< between list of string"),
        ("self.i + self.n > 0.0", "+ between int and double"),
        ("self.b + self.b", "+ between bool and bool"),
        ("-self.s == 'a'", "- before a string"),
        ("self.i && true", "&& with a int"),
        ("!self.s", "! with a string"),
        ("self.i ? true : false", "? with a int"),
        ("self.l.exists(x, x)", "exists() with a string"),
        ("self.l.map(x, x, x).size() > 0", "map() with a string"),
        ("self.i.startsWith('a')", "startsWith() a int"),
        ("self.s.startsWith(1)", "startsWith() a int"),
        ("size(self.i) > 0", "size() a int"),
        ("self.i.all(x, true)", "all() a int"),
        ("quantity(self.i).isInteger()", "quantity() a int"),
        ("quantity(self.s) == self.s", "== between quantity and string"),
        ("self.s.optMap(x, x).hasValue()", "optMap() a string"),
        ("self.i", "gives a int, and must give a bool"),
        ("self.?b", "gives a optional"),
        ("oldSelf.nope == 1", "the field nope"),
    ],
)
def test_a_rule_that_never_holds_is_refused_with_its_schema(rule, told):
    (cause,) = ruled(rule)
    assert cause.field == "s.x-kubernetes-validations[0].rule"
    assert told in cause.message


@pytest.mark.parametrize(
    "rule",
    [
        "self.any.thing.deep == 1 && self.port == 80 && self.port != 'http'",
        "dyn(self.i) == 'a'",
        "self.x__dash__y == 'a'",
        "self.i < self.n && self.n > 1",
        "self.s == null",
        "self.metadata.name.startsWith('a') && self.kind == 'A' && self.apiVersion != ''",
        "self.pod.metadata.name == self.pod.kind",
        "self.t - self.t < duration('1h') && self.t + self.d > self.t",
        "self.o.map(x, x.p).sum() == 3 && self.o.exists_one(x, x.p == 1)",
        "self.m.exists(k, self.m[k] > 1) && 'a' in self.m && self.m.b == 1",
        "self.?i.orValue(1) == 1 && self.?o[?0].p.orValue(2) == 2",
        "self.l.distinct().reverse().join(',').split(',') == self.l",
        "[] == self.l && [self.i, self.i] == [1, 2] && [1, 'a'].size() == 2",
        "(self.b ? self.i : self.s) == 1",
        "self.s.find('a') == 'a' && self.s.findAll('a') == ['a']",
        "type(self.i) == int",
        "self == oldSelf",
        "cel.bind(x, self.o, x.all(y, y.p > 0))",
    ],
)
def test_a_rule_that_may_hold_is_taken_with_its_schema(rule):
    assert ruled(rule) == []


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"fieldPath": ".nope"}, "fieldPath"),
        ({"fieldPath": "i"}, "fieldPath"),
        ({"fieldPath": ".o[0].p"}, "fieldPath"),
        ({"fieldPath": ".i.p"}, "fieldPath"),
        ({"reason": "Because"}, "reason"),
        ({"message": "  "}, "message"),
        ({"message": "a\nb"}, "message"),
        ({"messageExpression": " "}, "messageExpression"),
    ],
)
def test_what_a_broken_rule_would_tell_is_looked_at_too(more, field):
    assert {cause.field for cause in ruled("true", **more)} == {
        f"s.x-kubernetes-validations[0].{field}"
    }


@pytest.mark.parametrize(
    "more",
    [
        {"fieldPath": ".i"},
        {"fieldPath": ".pod.spec"},
        {"fieldPath": "['x-y']"},
        {"fieldPath": ".m['any']"},
        {"reason": "FieldValueForbidden", "message": "is not wanted"},
    ],
)
def test_what_a_broken_rule_may_tell_is_taken(more):
    assert ruled("true", **more) == []


def test_a_rule_of_several_lines_says_what_it_wants():
    assert ruled("true &&\ntrue", message="is true") == []
    (cause,) = ruled("true &&\ntrue")
    assert cause.field.endswith(".message")


def test_the_message_of_a_rule_is_a_text():
    assert ruled("true", messageExpression="'got ' + string(self.i)") == []
    (cause,) = ruled("true", messageExpression="self.i + 1")
    assert cause.field.endswith(".messageExpression")
    assert "must give a string" in cause.message
    (cause,) = ruled("true", messageExpression="'was ' + oldSelf.s")
    assert "uses oldSelf, which is not known here" in cause.message
    (cause,) = ruled("true", messageExpression="'got ' + self.i")
    assert "+ between string and int" in cause.message


def test_a_pattern_takes_no_longer_than_its_text():
    assert not pattern("^(a+)+$")("a" * 5000 + "!")
    with pytest.raises(PatternError):
        pattern("(?=a)")


@pytest.mark.parametrize(
    ("path", "kind", "cell"),
    [
        (".spec.a", "string", "x"),
        (".spec.n", "integer", 3),
        (".spec.n", "string", "3"),
        (".spec.a", "integer", None),
        (".spec.none", "string", None),
        (".spec.l[1].k", "string", "two"),
        (".spec.l[*].k", "string", "one,two"),
        ('.spec.l[?(@.k=="two")].v', "integer", 2),
        (".spec.flag", "boolean", True),
        (".spec.dotted\\.name", "string", "d"),
        (".metadata.creationTimestamp", "date", "10s"),
    ],
)
def test_a_column_shows(path, kind, cell):
    document = {
        "metadata": {"creationTimestamp": "1970-01-01T00:00:00Z"},
        "spec": {
            "a": "x",
            "n": 3,
            "flag": True,
            "dotted.name": "d",
            "l": [{"k": "one", "v": 1}, {"k": "two", "v": 2}],
        },
    }
    assert wrong_path(path) == ""
    assert column_cell(path, kind)(document, 10) == cell


@pytest.mark.parametrize("path", ["", "spec", ".spec[", ".spec..a", "..", ".a[?(@.x>1)]"])
def test_a_path_is_refused(path):
    assert wrong_path(path)


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
)
json = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from((*NAMES, "d")), inner)
    ),
    max_leaves=12,
)
documents = st.dictionaries(st.sampled_from((*NAMES, "metadata", "kind")), json)
leaves = st.sampled_from(
    [
        INT,
        {**INT, "default": 7},
        {**INT, "minimum": 0, "nullable": True},
        {**TEXT, "default": "x", "enum": ["x", "y"]},
        {**TEXT, "maxLength": 2, "pattern": "^[a-z]*$"},
        {**TEXT, "format": "date-time"},
        {"type": "boolean"},
        {"type": "number"},
        {"x-kubernetes-int-or-string": True},
        {"x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        {"type": "array", "items": INT, "x-kubernetes-list-type": "set"},
        {"type": "object", "x-kubernetes-embedded-resource": True},
        {**INT, "x-kubernetes-validations": [{"rule": "self * 2 > self"}]},
        {**INT, "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]},
    ]
)


def _holders(inner):
    properties = st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    return (
        st.builds(lambda p: {"type": "object", "properties": p}, properties)
        | st.builds(lambda p: {"type": "object", "properties": p, "default": {}}, properties)
        | st.builds(
            lambda p: {"type": "object", "properties": p, "required": sorted(p)}, properties
        )
        | st.builds(lambda i: {"type": "array", "items": i}, inner)
        | st.builds(lambda i: {"type": "object", "additionalProperties": i}, inner)
    )


schemas = st.builds(
    lambda properties: {"type": "object", "properties": properties},
    st.dictionaries(st.sampled_from(NAMES), st.recursive(leaves, _holders, max_leaves=6)),
)


@given(schemas, documents)
def test_pruning_again_changes_nothing(schema, document):
    structure = Structure(schema)
    structure.prune(document)
    before = copy.deepcopy(document)
    assert structure.prune(document) == []
    assert document == before


@given(schemas, documents)
def test_completing_again_changes_nothing(schema, document):
    structure = Structure(schema)
    structure.complete(document)
    before = copy.deepcopy(document)
    structure.complete(document)
    assert document == before


@given(schemas, documents)
def test_defaults_are_never_dropped_again(schema, document):
    structure = Structure(schema)
    structure.prune(document)
    structure.complete(document)
    assert structure.prune(document) == []


@given(schemas, documents, documents)
def test_any_value_is_taken_or_told(schema, document, old):
    structure = Structure(schema)
    for one in (document, old):
        structure.prune(one)
        structure.complete(one)
    found = structure.causes(document, old)
    assert all(isinstance(cause, Cause) and cause.reason and cause.message for cause in found)
    assert structure.causes(document, old) == found
    if not structure.causes(document):
        assert structure.causes(copy.deepcopy(document), document) == []


words = st.sampled_from(sorted(types()["apiextensions.v1.JSONSchemaProps"].fields))
odd = st.recursive(
    scalars | st.sampled_from(["object", "array", "string", "map", "self.a"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(words, odd, max_size=6))
def test_any_schema_that_can_be_read_is_taken_or_told(schema):
    try:
        conform("apiextensions.v1.JSONSchemaProps", schema)
        fit_schema(schema)
    except Misfit:
        return
    if not schema_causes(schema, "s"):
        Structure(schema)

import pytest

from shoal.dialect.names import generated_name, metadata_causes, wrong_label, wrong_subdomain
from shoal.dialect.paths import dig, field_text
from shoal.dialect.status import Cause, StatusError, conflict, invalid, not_found
from shoal.dialect.table import age, say_age


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (310, "5m10s"),
        (600, "10m"),
        (3 * 3600, "3h"),
        (3 * 3600 + 720, "3h12m"),
        (47 * 3600 + 59, "47h"),
        (4 * 86400, "4d"),
        (7 * 86400 + 23 * 3600, "7d23h"),
        (700 * 86400, "700d"),
        (760 * 86400, "2y30d"),
        (9 * 365 * 86400, "9y"),
        (-5, "<invalid>"),
    ],
)
def test_ages_read_as_kubectl_writes_them(seconds, words):
    assert say_age(seconds) == words


def test_an_age_without_a_time_is_unknown():
    assert age(None, 0) == "<unknown>"
    assert age("yesterday", 0) == "<unknown>"
    assert age("1970-01-01T00:01:00Z", 90) == "30s"


def test_a_status_goes_over_the_wire_and_comes_back():
    error = invalid("shoal.dev", "Run", "a", [Cause("FieldValueInvalid", "is odd", "spec.gpu")])
    back = StatusError.from_object(0, error.to_object())
    assert (back.code, back.reason, back.message) == (422, "Invalid", error.message)
    assert back.causes == error.causes
    assert back.details.group == "shoal.dev"


def test_a_status_names_the_object_in_its_sentence():
    assert str(not_found("", "pods", "a")) == 'pods "a" not found'
    assert 'runs.shoal.dev "a"' in str(conflict("shoal.dev", "runs", "a", "it changed"))


def test_a_refusal_names_the_field_of_each_cause():
    error = invalid("", "Run", "a", [Cause("FieldValueInvalid", "is no field", "spec.gpus")])
    assert error.message == 'Run "a" is invalid: spec.gpus: is no field'


@pytest.mark.parametrize("name", ["a", "a-1", "0", "x" * 63])
def test_labels_are_names(name):
    assert wrong_label(name) == ""


@pytest.mark.parametrize("name", ["", "A", "-a", "a-", "a.b", "a_b", "x" * 64, "a\n"])
def test_other_texts_are_no_labels(name):
    assert wrong_label(name)


def test_subdomains_take_dots_between_labels():
    assert wrong_subdomain("a.b-c") == ""
    assert wrong_subdomain("a..b")


def test_a_generated_name_fits_a_label():
    assert generated_name("run-", "abcde") == "run-abcde"
    assert len(generated_name("x" * 100, "abcde")) == 63


def fields(**metadata):
    return [cause.field for cause in metadata_causes({"name": "a", **metadata}, wrong_subdomain)]


@pytest.mark.parametrize(
    ("metadata", "field"),
    [
        ({"labels": {"bad key": "x"}}, "metadata.labels"),
        ({"labels": {"k": "bad value!"}}, "metadata.labels"),
        ({"annotations": {"bad key": "x"}}, "metadata.annotations"),
        ({"annotations": {"k": "x" * 262144}}, "metadata.annotations"),
        ({"finalizers": ["unqualified"]}, "metadata.finalizers[0]"),
        ({"name": "Upper"}, "metadata.name"),
        (
            {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p"}]},
            "metadata.ownerReferences[0].uid",
        ),
    ],
)
def test_wrong_metadata_is_told_field_by_field(metadata, field):
    assert fields(**metadata) == [field]


def test_right_metadata_has_no_causes():
    assert (
        fields(labels={"a.b/c": ""}, annotations={"k": "✓"}, finalizers=["orphan", "a.b/c"]) == []
    )


def test_digging_stops_where_there_is_nothing():
    document = {"spec": {"on": True, "n": 2}}
    assert dig(document, "spec", "n") == 2
    assert dig(document, "spec", "n", "deeper") is None
    assert field_text(document, "spec.on") == "true"
    assert field_text(document, "status.phase") == ""

"""Objects brought into their stored form: what is told, what is refused, what is filled in."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dialect.conform import conform
from shoal.dialect.scalars import Misfit
from shoal.dialect.schema import types

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


def likely(name: str, depth: int = 3) -> st.SearchStrategy:
    """Objects of a type with values that often fit, and often do not."""
    fields = types()[name].fields
    if not fields:
        return st.just({})
    return st.dictionaries(st.sampled_from(sorted(fields)), st.none(), max_size=4).flatmap(
        lambda keys: st.fixed_dictionaries({k: value(fields[k].type, depth) for k in keys})
    )


def value(kind: str, depth: int) -> st.SearchStrategy:
    if kind.startswith("[]"):
        return st.lists(value(kind[2:], depth), max_size=2) | JSON
    if kind.startswith("{}"):
        return st.dictionaries(st.text(max_size=3), value(kind[2:], depth), max_size=2) | JSON
    if kind in types():
        return (likely(kind, depth - 1) if depth else st.just({})) | st.none()
    return SCALARS.get(kind, JSON) | st.none()


SCALARS = {
    "amount": st.sampled_from(["1", "0.5", "1024Mi", "1e3", "2000", 7, 0.25, "-1", "much"]),
    "bytes": st.sampled_from(["", "aGk=", "a"]),
    "flag": st.booleans(),
    "microtime": st.sampled_from(["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+02:00"]),
    "object": st.just({"a": None}),
    "text": st.text(max_size=3),
    "time": st.sampled_from(["2026-01-31T12:00:00.25Z", "2026-01-31T12:00:00+02:00", "noon"]),
    "whole": st.integers(-(2**64), 2**64),
    "whole or text": st.integers(0, 9) | st.just("http"),
    "whole32": st.integers(-(2**33), 2**33),
}
KINDS = st.sampled_from(["core.v1.Pod", "batch.v1.Job", "resource.v1.ResourceSlice"])
OBJECTS = KINDS.flatmap(lambda name: st.tuples(st.just(name), likely(name) | JSON))


@given(OBJECTS)
def test_a_second_pass_finds_and_changes_nothing(given_object):
    name, document = given_object
    try:
        conform(name, document)
    except Misfit:
        return
    once = copy.deepcopy(document)
    assert conform(name, document) == []
    assert document == once


@given(OBJECTS)
def test_a_misfit_tells_where_it_lies(given_object):
    name, document = given_object
    try:
        conform(name, document)
    except Misfit as misfit:
        assert str(misfit)
        assert misfit.path or not isinstance(document, dict)


def fitted(name: str, document: dict) -> dict:
    assert conform(name, document) == []
    return document


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ([], "spec: takes an object, got []"),
        ({"containers": {}}, "spec.containers: takes a list, got {}"),
        ({"containers": ["a"]}, 'spec.containers[0]: takes an object, got "a"'),
        ({"containers": [{"name": 1}]}, "spec.containers[0].name: takes a text, got 1"),
        ({"hostNetwork": "no"}, 'spec.hostNetwork: takes true or false, got "no"'),
        ({"nodeSelector": {"a": 1}}, "spec.nodeSelector.a: takes a text, got 1"),
        ({"overhead": {"cpu": True}}, "spec.overhead.cpu: takes an amount such as 500m or 2Gi"),
        ({"priority": 2**31}, f"spec.priority: takes a whole number of 32 bits, got {2**31}"),
        ({"priority": True}, "spec.priority: takes a whole number, got true"),
        ({"priority": 1.0}, "spec.priority: takes a whole number, got 1.0"),
        ({"terminationGracePeriodSeconds": 2**63}, "spec.terminationGracePeriodSeconds: takes a"),
    ],
)
def test_the_first_value_of_a_wrong_type_is_named(spec, told):
    with pytest.raises(Misfit) as raised:
        conform("core.v1.Pod", {"spec": spec})
    assert str(raised.value).startswith(told)


def test_unknown_fields_are_dropped_and_named_with_their_place():
    pod = {
        "Spec": {},
        "metadata": {"name": "p", "x": 1},
        "spec": {"containers": [{}, {"image": "a", "Image": "b", "env": [{"y": None}]}]},
    }
    assert conform("core.v1.Pod", pod) == [
        "Spec",
        "metadata.x",
        "spec.containers[1].Image",
        "spec.containers[1].env[0].y",
    ]
    assert "Spec" not in pod
    assert "Image" not in pod["spec"]["containers"][1]


def test_the_words_of_a_map_are_no_fields():
    slice_ = {"spec": {"devices": [{"attributes": {"any.thing/at-all": {"string": "a", "z": 1}}}]}}
    assert conform("resource.v1.ResourceSlice", slice_) == [
        "spec.devices[0].attributes.any.thing/at-all.z"
    ]


def test_nulls_and_empty_lists_and_maps_say_nothing():
    pod = fitted("core.v1.Pod", {"metadata": {"labels": {}}, "spec": {"volumes": [], "os": None}})
    assert pod["metadata"] == {}
    assert pod["spec"].keys().isdisjoint({"volumes", "os"})


def test_an_empty_object_may_say_something():
    pod = fitted("core.v1.Pod", {"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}})
    assert pod["spec"]["volumes"][0]["emptyDir"] == {}


def test_a_null_in_a_map_or_a_list_is_the_empty_value():
    config = fitted("core.v1.ConfigMap", {"data": {"k": None}})
    assert config["data"] == {"k": ""}
    pod = fitted("core.v1.Pod", {"spec": {"containers": [None]}})
    assert pod["spec"]["containers"][0]["terminationMessagePolicy"] == "File"


def test_amounts_and_times_are_written_in_one_way():
    claim = {
        "metadata": {"creationTimestamp": "2026-01-31T12:00:00.75+02:00"},
        "spec": {"resources": {"requests": {"storage": "1024Mi", "cpu": 0.5, "n": 1000}}},
    }
    fitted("core.v1.PersistentVolumeClaim", claim)
    assert claim["spec"]["resources"]["requests"] == {"storage": "1Gi", "cpu": "500m", "n": "1k"}
    assert claim["metadata"]["creationTimestamp"] == "2026-01-31T10:00:00Z"
    lease = fitted("coordination.v1.Lease", {"spec": {"renewTime": "2026-01-31T12:00:00Z"}})
    assert lease["spec"]["renewTime"] == "2026-01-31T12:00:00.000000Z"


def test_defaults_are_filled_in_list_items_too():
    pod = fitted("core.v1.Pod", {"spec": {"containers": [{"name": "c", "ports": [{}]}]}})
    assert pod["spec"]["dnsPolicy"] == "ClusterFirst"
    assert pod["spec"]["containers"][0]["ports"] == [{"containerPort": 0, "protocol": "TCP"}]


def test_a_null_or_an_empty_text_takes_the_default_and_a_zero_stays():
    spec = {"restartPolicy": None, "dnsPolicy": "", "terminationGracePeriodSeconds": 0}
    pod = fitted("core.v1.Pod", {"spec": spec})["spec"]
    assert (pod["restartPolicy"], pod["dnsPolicy"]) == ("Always", "ClusterFirst")
    assert pod["terminationGracePeriodSeconds"] == 0


def test_defaults_are_not_shared_between_objects():
    one, other = fitted("core.v1.Pod", {}), fitted("core.v1.Pod", {})
    one["spec"]["securityContext"]["runAsUser"] = 1
    assert other["spec"]["securityContext"] == {}


def test_nesting_too_deep_is_a_misfit():
    schema: dict = {}
    for _ in range(900):
        schema = {"properties": {"a": schema}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    with pytest.raises(Misfit, match="nested"):
        conform("apiextensions.v1.CustomResourceDefinition", {"spec": {"versions": [version]}})

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dialect.selectors import (
    SelectorError,
    label_selector,
    parse_fields,
    parse_labels,
    selector_text,
)

LABELS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["", "x", "y", "10"]))


@pytest.mark.parametrize(
    ("text", "labels", "selected"),
    [
        ("", {}, True),
        ("app=web", {"app": "web"}, True),
        ("app==web", {"app": "db"}, False),
        ("app!=web", {}, True),
        ("app != web , tier", {"app": "db", "tier": "front"}, True),
        ("app in (web, db)", {"app": "db"}, True),
        ("app notin (web),app", {}, False),
        ("!old", {"old": ""}, False),
        ("!old,app", {"app": "web"}, True),
        ("app=", {"app": ""}, True),
        ("n>4", {"n": "10"}, True),
        ("n>4", {"n": "text"}, False),
        ("n<5", {"n": "-1"}, True),
        ("example.com/x in (1)", {"example.com/x": "1"}, True),
    ],
)
def test_label_selectors_select(text, labels, selected):
    assert parse_labels(text).matches(labels) is selected


@pytest.mark.parametrize(
    "text",
    ["app in web", "a=b=c", "bad key=x", "app=bad value!", "=x", "app in (", "a,,b", "n>text", "!"],
)
def test_a_text_that_is_no_label_selector_is_refused_with_an_example(text):
    with pytest.raises(SelectorError):
        parse_labels(text)


@given(LABELS, st.sampled_from("abc"), st.sampled_from(["x", "y", "10"]))
def test_not_equal_is_the_opposite_of_equal(labels, key, value):
    equal = parse_labels(f"{key}={value}").matches(labels)
    assert parse_labels(f"{key}!={value}").matches(labels) is not equal


@given(LABELS, st.sampled_from("abc"), st.sampled_from("abc"))
def test_a_comma_means_and(labels, first, second):
    both = parse_labels(f"{first},!{second}").matches(labels)
    assert both is (first in labels and second not in labels)


KNOWN = {"metadata.name", "status.phase"}


def test_field_selectors_compare_whole_values():
    selector = parse_fields("status.phase!=Failed,metadata.name=a", KNOWN)
    assert selector.matches({"metadata.name": "a", "status.phase": "Running"})
    assert not selector.matches({"metadata.name": "a", "status.phase": "Failed"})
    assert not selector.matches({"metadata.name": "b", "status.phase": "Running"})


def test_a_field_selector_names_the_fields_that_it_may_use():
    with pytest.raises(SelectorError, match=r"status\.phase"):
        parse_fields("spec.bogus=1", KNOWN)


@pytest.mark.parametrize("text", ["metadata.name", "metadata.name in (a,b)"])
def test_field_selectors_know_only_equality(text):
    with pytest.raises(SelectorError):
        parse_fields(text, KNOWN)


EXPRESSIONS = st.one_of(
    st.builds(
        lambda key, operator, values: {"key": key, "operator": operator, "values": values},
        st.sampled_from("abc"),
        st.sampled_from(["In", "NotIn"]),
        st.lists(st.sampled_from(["x", "y", "10"]), min_size=1, max_size=2, unique=True),
    ),
    st.builds(
        lambda key, operator: {"key": key, "operator": operator},
        st.sampled_from("abc"),
        st.sampled_from(["Exists", "DoesNotExist"]),
    ),
)


@given(LABELS, LABELS.filter(bool), st.lists(EXPRESSIONS, max_size=3))
def test_a_selector_in_an_object_says_the_same_as_its_text(labels, wanted, expressions):
    selector = {"matchLabels": wanted, "matchExpressions": expressions}
    by_text = parse_labels(selector_text(selector)).matches(labels)
    assert label_selector(selector).matches(labels) is by_text


def test_a_selector_in_an_object_without_anything_has_no_text():
    assert selector_text({}) == "<none>"


@pytest.mark.parametrize(
    "expression",
    [
        {"key": "a", "operator": "Like", "values": ["x"]},
        {"key": "a", "operator": "In"},
        {"key": "a", "operator": "Exists", "values": ["x"]},
        {"key": "bad key", "operator": "Exists"},
    ],
)
def test_an_expression_that_makes_no_sense_is_refused(expression):
    with pytest.raises(SelectorError):
        label_selector({"matchExpressions": [expression]})

"""Types of fields: what clients can decode passes, what they cannot is named."""

import pytest

from shoal.dialect.field_types import wrong_type


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"metadata": {"labels": {"a": 1}}}, "metadata.labels.a: takes a text, got 1"),
        (
            {"metadata": {"creationTimestamp": "yesterday"}},
            "metadata.creationTimestamp: takes a time such as 2026-01-31T12:00:00Z, got",
        ),
        ({"spec": []}, "spec: takes an object, got []"),
        ({"spec": {"containers": ["a"]}}, 'spec.containers[0]: takes an object, got "a"'),
        ({"spec": {"priority": 2**63}}, f"spec.priority: takes a whole number, got {2**63}"),
        ({"spec": {"priority": True}}, "spec.priority: takes a whole number, got true"),
        ({"spec": {"overhead": {"cpu": True}}}, "spec.overhead.cpu: takes an amount such as"),
    ],
)
def test_the_first_field_of_a_wrong_type_is_named(document, told):
    assert wrong_type("", "v1", "Pod", document).startswith(told)


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"spec": None, "no": "field"},
        {"metadata": {"creationTimestamp": "2026-01-31T12:00:00.123456Z"}},
        {"spec": {"overhead": {"cpu": 0.5, "memory": "1Gi", "pods": 3}}},
        {"spec": {"containers": [{"livenessProbe": {"tcpSocket": {"port": "http"}}}, {}]}},
        {"spec": {"containers": [{"livenessProbe": {"tcpSocket": {"port": 80}}}]}},
    ],
)
def test_what_fits_passes(document):
    assert wrong_type("", "v1", "Pod", document) == ""


def test_kinds_that_are_not_in_the_table_are_left_to_their_own_rules():
    assert wrong_type("shoal.dev", "v1alpha1", "Run", {"spec": 1}) == ""


@pytest.mark.parametrize(
    ("group", "kind"),
    [("resource.k8s.io", "ResourceClaim"), ("coordination.k8s.io", "Lease"), ("", "Node")],
)
def test_kinds_are_found_by_their_group(group, kind):
    assert wrong_type(group, "v1", kind, {"spec": 1}) == "spec: takes an object, got 1"

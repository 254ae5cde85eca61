"""Nodes, slices, device classes and claims: what is filled in and what is refused."""

import pytest

DRA = "/apis/resource.k8s.io/v1"


def causes_of(answer):
    status, refusal = answer
    assert status == 422, refusal
    return {(cause["field"], cause["reason"]) for cause in refusal["details"]["causes"]}


@pytest.fixture
def unique(ns):
    """A name for what belongs to no namespace."""
    return f"only-{ns}"


def slice_of(name, **spec):
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    whole = {"driver": "card.example.com", "nodeName": name, "pool": pool} | spec
    return {"metadata": {"name": name}, "spec": whole}


def shared(capacity):
    return {"devices": [{"name": "a", "allowMultipleAllocations": True, "capacity": capacity}]}


def test_a_new_node_is_tainted_until_it_is_ready(api, unique):
    taint = {"key": "example.com/mine", "effect": "NoExecute"}
    node = {"metadata": {"name": unique}, "spec": {"taints": [taint]}}
    made = api.create("/api/v1/nodes", node)
    assert made["spec"]["taints"] == [
        taint,
        {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"},
    ]
    assert made["status"]["nodeInfo"]["bootID"] == ""


def test_taints_differ_by_key_and_effect(api, unique):
    api.create("/api/v1/nodes", {"metadata": {"name": unique}})
    taints = [{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoExecute"}]
    assert api.patch(f"/api/v1/nodes/{unique}", {"spec": {"taints": taints}})[0] == 200
    answer = api.patch(f"/api/v1/nodes/{unique}", {"spec": {"taints": [taints[0], taints[0]]}})
    assert causes_of(answer) == {("metadata.taints[1]", "FieldValueDuplicate")}


@pytest.mark.parametrize(
    ("spec", "cause"),
    [
        ({"nodeName": None}, ("spec", "FieldValueRequired")),
        ({"allNodes": True}, ("spec", "FieldValueInvalid")),
        ({"driver": ""}, ("spec.driver", "FieldValueRequired")),
        (
            {"pool": {"name": "p", "resourceSliceCount": 0}},
            ("spec.pool.resourceSliceCount", "FieldValueInvalid"),
        ),
        (
            {"devices": [{"name": "a", "attributes": {"x": {"int": 1, "bool": True}}}]},
            ("spec.devices[0].attributes[x]", "FieldValueInvalid"),
        ),
        (
            {"devices": [{"name": "a", "capacity": {"m": {"value": "1", "requestPolicy": {}}}}]},
            ("spec.devices[0].capacity[m].requestPolicy", "FieldValueForbidden"),
        ),
        (
            shared(
                {"m": {"value": "4", "requestPolicy": {"validRange": {"min": "2", "max": "1"}}}}
            ),
            ("spec.devices[0].capacity[m].requestPolicy.validRange.max", "FieldValueInvalid"),
        ),
        (
            shared({"m": {"value": "4", "requestPolicy": {"default": "3", "validValues": ["1"]}}}),
            ("spec.devices[0].capacity[m].requestPolicy.default", "FieldValueInvalid"),
        ),
    ],
)
def test_a_wrong_slice_is_told_by_field(api, unique, spec, cause):
    assert cause in causes_of(api.call("POST", f"{DRA}/resourceslices", slice_of(unique, **spec)))


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("device.driver ==", "ends too early"),
        ("device.driver", "must say yes or no; it is a string"),
        ("1 + 2", "must say yes or no"),
        ("'yes'", "must say yes or no"),
        ("device.colour == 'red'", "a device has no field colour"),
        ("card.driver == 'x'", "there is no variable card"),
    ],
)
def test_a_class_with_a_selector_that_says_nothing_is_refused(api, unique, expression, words):
    selectors = [{"cel": {"expression": expression}}]
    body = {"metadata": {"name": unique}, "spec": {"selectors": selectors}}
    status, refusal = api.call("POST", f"{DRA}/deviceclasses", body)
    (cause,) = refusal["details"]["causes"]
    assert (status, cause["field"]) == (422, "spec.selectors[0].cel.expression")
    assert words in cause["message"]


@pytest.mark.parametrize(
    "expression",
    [
        "device.attributes['a'].?b.orValue(1u) > 1u",
        "device.capacity[?'a'].hasValue()",
        "device.driver == 'card.example.com'",
        "device.allowMultipleAllocations",
        "device.attributes['card.example.com'].model == 'A100'",
        "device.capacity['card.example.com'].memory.compareTo(quantity('10Gi')) >= 0",
        "cel.bind(a, device.attributes['card.example.com'], a.index == 1)",
        "'card.example.com' in device.attributes && !false",
    ],
)
def test_a_selector_that_may_say_yes_or_no_is_kept(api, unique, expression):
    selectors = [{"cel": {"expression": expression}}]
    body = {"metadata": {"name": unique}, "spec": {"selectors": selectors}}
    assert api.create(f"{DRA}/deviceclasses", body)["spec"]["selectors"] == selectors


@pytest.mark.parametrize(
    ("request_", "cause"),
    [
        (
            {"exactly": {"deviceClassName": "c", "allocationMode": "Some"}},
            ("exactly.allocationMode", "FieldValueNotSupported"),
        ),
        (
            {"firstAvailable": [{"name": "a", "deviceClassName": ""}]},
            ("firstAvailable[0].deviceClassName", "FieldValueRequired"),
        ),
        (
            {"firstAvailable": [{"name": "a", "deviceClassName": "c"}] * 2},
            ("firstAvailable[1]", "FieldValueDuplicate"),
        ),
        (
            {"exactly": {"deviceClassName": "c", "selectors": [{"cel": {"expression": "1"}}]}},
            ("exactly.selectors[0].cel.expression", "FieldValueInvalid"),
        ),
    ],
)
def test_a_wrong_request_of_a_claim_is_told_by_field(api, ns, request_, cause):
    body = {
        "metadata": {"name": "c"},
        "spec": {"devices": {"requests": [{"name": "card"} | request_]}},
    }
    told = causes_of(api.call("POST", f"{DRA}/namespaces/{ns}/resourceclaims", body))
    field, reason = cause
    assert (f"spec.devices.requests[0].{field}", reason) in told


def test_a_claim_for_nothing_says_so(api, ns):
    made = api.create(f"{DRA}/namespaces/{ns}/resourceclaims", {"metadata": {"name": "c"}})
    assert made["spec"] == {"devices": {"requests": None}}

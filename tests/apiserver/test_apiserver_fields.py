"""What a write says that its kind has no place for, in the three modes of ``fieldValidation``."""

import pytest

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
BOGUS = 'unknown field "spec.bogus"'


def claims(ns):
    return f"/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims"


def maps(ns):
    return f"/api/v1/namespaces/{ns}/configmaps"


def warned(headers):
    """The warnings of an answer as kubectl prints them."""
    return [
        text.removeprefix('299 - "').removesuffix('"').replace('\\"', '"')
        for text in headers.get_all("warning") or ()
    ]


def write(api, method, path, body, kind="application/json", **query):
    """Status, warnings and document."""
    given = {"raw": body} if isinstance(body, bytes) else {"body": body}
    sent = {"Content-Type": kind}
    status, headers, content = api.send(method, path, headers=sent, **given, **query)
    return status, warned(headers), content.decode()


def test_an_unknown_field_is_dropped_with_a_warning(api, ns):
    body = {"metadata": {"name": "a", "Labels": {}}, "spec": {"bogus": 1}}
    status, warnings, content = write(api, "POST", claims(ns), body)
    assert (status, warnings) == (201, ['unknown field "metadata.Labels"', BOGUS])
    assert "bogus" not in content


def test_strict_refuses_and_ignore_is_silent(api, ns):
    body = {"metadata": {"name": "a"}, "spec": {"bogus": 1}}
    status, warnings, content = write(api, "POST", claims(ns), body, fieldValidation="Strict")
    assert (status, warnings) == (400, [])
    assert BOGUS.replace('"', '\\"') in content
    assert write(api, "POST", claims(ns), body, fieldValidation="Ignore")[:2] == (201, [])


@pytest.mark.parametrize("kind", [MERGE, STRATEGIC])
def test_a_patch_with_an_unknown_field(api, ns, kind):
    api.create(claims(ns), {"metadata": {"name": "a"}})
    path, patch = f"{claims(ns)}/a", {"spec": {"bogus": 1}}
    assert write(api, "PATCH", path, patch, kind)[:2] == (200, [BOGUS])
    status, refusal = api.patch(path, patch, kind, fieldValidation="Strict")
    assert (status, refusal["details"]["causes"][0]["field"]) == (422, "patch")
    assert "kind" not in refusal["details"]


def test_a_key_given_twice_is_told_and_the_last_counts(api, ns):
    body = b'{"metadata":{"name":"a"},"data":{"k":"1","k":"2"}}'
    status, warnings, content = write(api, "POST", maps(ns), body)
    assert (status, warnings) == (201, ['duplicate field "data.k"'])
    assert '"k":"2"' in content
    assert write(api, "POST", maps(ns), body, fieldValidation="Strict")[0] == 400


def test_a_key_given_twice_in_yaml_is_told_as_in_json(api, ns):
    body = b"metadata: {name: a}\ndata:\n  k: one\n  k: two\n"
    kind = "application/yaml"
    status, warnings, content = write(api, "POST", maps(ns), body, kind)
    assert (status, warnings) == (201, ['duplicate field "data.k"'])
    assert '"k":"two"' in content
    assert write(api, "POST", maps(ns), body, kind, fieldValidation="Strict")[0] == 400
    other = body.replace(b"name: a", b"name: b")
    assert write(api, "POST", maps(ns), other, kind, fieldValidation="Ignore")[:2] == (201, [])


def test_a_null_counts_as_not_given(api, ns):
    body = {"metadata": {"name": "a", "labels": None}, "spec": None, "status": None}
    made = api.create(claims(ns), body)
    assert made["spec"] == {"devices": {"requests": None}}


def test_what_a_json_patch_adds_is_held_against_the_table_too(api, ns):
    api.create(maps(ns), {"metadata": {"name": "a"}, "data": {"k": "1"}})
    path = f"{maps(ns)}/a"
    add = [{"op": "add", "path": "/data/n", "value": 5}]
    status, refusal = api.patch(path, add, JSON_PATCH)
    assert (status, refusal["details"]["causes"][0]["field"]) == (422, "patch")
    nothing = [{"op": "add", "path": "/binaryData", "value": None}]
    assert "binaryData" not in api.patch(path, nothing, JSON_PATCH)[1]


def test_amounts_are_stored_in_one_way_and_another_writing_changes_nothing(api, ns):
    spec = {"containers": [{"name": "c", "image": "host", "resources": {"limits": {"cpu": 0.5}}}]}
    pod = api.create(f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "p"}, "spec": spec})
    assert pod["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "500m"}
    same = {"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "0.5"}}}]}}
    status, again = api.patch(f"/api/v1/namespaces/{ns}/pods/p", same, STRATEGIC)
    assert (status, again["metadata"]["resourceVersion"]) == (
        200,
        pod["metadata"]["resourceVersion"],
    )


def test_what_never_changes_is_refused_at_its_path(api, ns):
    secret = f"/api/v1/namespaces/{ns}/secrets"
    api.create(secret, {"metadata": {"name": "a"}})
    status, refusal = api.patch(f"{secret}/a", {"type": "other"})
    assert (status, refusal["details"]["causes"][0]["field"]) == (422, "type")


def test_a_directive_that_is_none_is_a_bare_500_as_clients_know_it(api, ns):
    api.create(maps(ns), {"metadata": {"name": "a"}})
    status, refusal = api.patch(f"{maps(ns)}/a", {"data": {"$patch": "explode"}}, STRATEGIC)
    assert status == 500
    assert "reason" not in refusal


def test_unknown_metadata_of_our_own_kinds_is_told(api, ns):
    body = {"metadata": {"name": "a", "bogus": 1}, "spec": {"run": "true"}}
    path = f"/apis/shoal.dev/v1alpha1/namespaces/{ns}/runs"
    status, warnings, _ = write(api, "POST", path, body)
    assert status == 201
    assert 'unknown field "metadata.bogus"' in warnings


def nested(levels):
    return "[" * levels + "]" * levels


@pytest.mark.parametrize("levels", [300, 100_000])
def test_a_body_of_too_many_levels_is_refused_whatever_it_is(api, ns, levels):
    api.create(maps(ns), {"metadata": {"name": "a"}})
    body = f'{{"metadata":{{"name":"b"}},"data":{nested(levels)}}}'.encode()
    assert write(api, "POST", maps(ns), body)[0] == 400
    for kind in (MERGE, STRATEGIC):
        assert write(api, "PATCH", f"{maps(ns)}/a", body, kind)[0] == 400
    add = f'[{{"op":"add","path":"/data","value":{nested(levels)}}}]'.encode()
    assert write(api, "PATCH", f"{maps(ns)}/a", add, JSON_PATCH)[0] == 400


def test_patches_cannot_pile_up_levels(api, ns):
    opaque = {"driver": "example.com", "parameters": {"a": {}}}
    body = {"metadata": {"name": "a"}, "spec": {"devices": {"config": [{"opaque": opaque}]}}}
    adds = [
        {"op": "add", "path": "/metadata/annotations", "value": {}},
        *(
            {"op": "add", "path": "/metadata/annotations" + "/a" * depth, "value": {}}
            for depth in range(1, 300)
        ),
    ]
    api.create(claims(ns), body)
    assert api.patch(f"{claims(ns)}/a", adds, JSON_PATCH)[0] == 400

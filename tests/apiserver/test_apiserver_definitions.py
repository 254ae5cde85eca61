"""Kinds that users define: served at once, changed while they are in use, and removed."""

import copy
import json
import subprocess
import sys

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.api.crds import definitions, schemas
from shoal.api.meta import GROUP

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE = "application/merge-patch+json"
SIZE = {"type": "integer", "minimum": 0}
SPEC = {
    "type": "object",
    "properties": {"size": SIZE, "mode": {"type": "string", "default": "fast"}},
}
STATUS = {"type": "object", "properties": {"ready": {"type": "integer"}}}
_groups = iter(range(1000))


@pytest.fixture
def group():
    return f"g{next(_groups)}.example.com"


def version(name="v1", *, storage=True, spec=SPEC, **more):
    schema = {"type": "object", "properties": {"spec": spec, "status": STATUS}}
    body = {"name": name, "served": True, "storage": storage}
    return body | {"schema": {"openAPIV3Schema": schema}} | more


def definition(group, *versions, kind="Widget", scope="Namespaced", **names):
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"plural": plural, "kind": kind} | names,
            "versions": list(versions) or [version()],
        },
    }


def conditions(api, name):
    found = api.get(f"{DEFINITIONS}/{name}").get("status", {}).get("conditions", [])
    return {one["type"]: one["status"] for one in found}


def established(api, wait_until, body):
    api.create(DEFINITIONS, body)
    name = body["metadata"]["name"]
    wait_until(lambda: conditions(api, name).get("Established") == "True")
    return name


def widgets(group, ns, version="v1"):
    return f"/apis/{group}/{version}/namespaces/{ns}/widgets"


def causes(refusal):
    return {(c["reason"], c["field"]) for c in refusal["details"]["causes"]}


def test_a_kind_is_served_as_soon_as_its_definition_is_stored(api, ns, group):
    api.create(DEFINITIONS, definition(group))
    made = api.create(widgets(group, ns), {"metadata": {"name": "a"}, "spec": {"size": 1}})
    assert made["spec"] == {"size": 1, "mode": "fast"}
    assert (made["kind"], made["metadata"]["generation"]) == ("Widget", 1)


def test_a_definition_is_completed_and_told_to_be_established(api, wait_until, group):
    name = established(api, wait_until, definition(group))
    stored = api.get(f"{DEFINITIONS}/{name}")
    assert stored["spec"]["names"]["singular"] == "widget"
    assert stored["spec"]["names"]["listKind"] == "WidgetList"
    assert stored["status"]["storedVersions"] == ["v1"]
    assert stored["status"]["acceptedNames"] == stored["spec"]["names"]
    assert conditions(api, name) == {"NamesAccepted": "True", "Established": "True"}


def test_discovery_and_openapi_follow(api, group):
    body = definition(group, shortNames=["wi"], categories=["things"])
    api.create(DEFINITIONS, body)
    (told,) = api.get(f"/apis/{group}/v1")["resources"]
    assert told["shortNames"] == ["wi"]
    assert told["categories"] == ["things"]
    document = api.get(f"/openapi/v3/apis/{group}/v1")
    names = [name for name in document["components"]["schemas"] if name.endswith(".Widget")]
    assert len(names) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda body: body["metadata"].update(name="x.y.z"), "metadata.name"),
        (lambda body: body["spec"].update(scope="Here"), "spec.scope"),
        (lambda body: body["spec"]["names"].update(kind="9"), "spec.names.kind"),
        (lambda body: body["spec"]["versions"][0].update(storage=False), "spec.versions"),
        (
            lambda body: body["spec"].update(conversion={"strategy": "Webhook"}),
            "spec.conversion.strategy",
        ),
        (
            lambda body: body["spec"]["versions"][0].update(
                additionalPrinterColumns=[{"name": "X", "type": "string", "jsonPath": "spec"}]
            ),
            "spec.versions[0].additionalPrinterColumns[0].jsonPath",
        ),
        (
            lambda body: body["spec"]["versions"][0].update(deprecationWarning="old"),
            "spec.versions[0].deprecationWarning",
        ),
        (
            lambda body: body["spec"]["versions"][0]["schema"]["openAPIV3Schema"].update(
                {"x-kubernetes-validations": [{"rule": "self.spec.f()"}]}
            ),
            "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule",
        ),
    ],
)
def test_a_definition_is_refused(api, group, change, field):
    body = copy.deepcopy(definition(group))
    change(body)
    status, refusal = api.call("POST", DEFINITIONS, body)
    assert status == 422
    assert field in {place for _, place in causes(refusal)}


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        ("self.spec.mode.find('[a-z]+') == 'fast'", {}, {"mode": "slow"}),
        ("isIP(self.spec.mode) || self.spec.mode == 'fast'", {"mode": "::1"}, {"mode": "x"}),
        ("quantity(self.spec.mode).isLessThan(quantity('1Gi'))", {"mode": "1G"}, {"mode": "2Gi"}),
        ("self.spec.?size.orValue(1) > 0", {}, {"size": 0}),
        (
            "!format.dns1123Label().validate(self.spec.mode).hasValue()",
            {"mode": "a-b"},
            {"mode": "A"},
        ),
    ],
)
def test_a_rule_uses_what_kubernetes_has(api, ns, group, rule, good, bad):
    one = version()
    one["schema"]["openAPIV3Schema"]["x-kubernetes-validations"] = [{"rule": rule}]
    api.create(DEFINITIONS, definition(group, one))
    api.create(widgets(group, ns), {"metadata": {"name": "a"}, "spec": good})
    status, refusal = api.call("POST", widgets(group, ns), {"metadata": {"name": "b"}, "spec": bad})
    assert (status, causes(refusal)) == (422, {("FieldValueInvalid", "<nil>")})


@pytest.mark.parametrize("rule", ["self.spec.nope == 1", "self.spec.size == 'a'"])
def test_a_rule_that_never_holds_is_refused_with_its_definition(api, group, rule):
    one = version()
    one["schema"]["openAPIV3Schema"]["x-kubernetes-validations"] = [{"rule": rule}]
    status, refusal = api.call("POST", DEFINITIONS, definition(group, one))
    assert (status, rule in refusal["message"]) == (422, True)


def test_what_an_object_may_hold_changes_with_the_definition(api, ns, group, wait_until):
    name = established(api, wait_until, definition(group))
    small = {"metadata": {"name": "a"}, "spec": {"size": -1}}
    assert api.call("POST", widgets(group, ns), small)[0] == 422
    loose = [version(spec={"type": "object", "properties": {"size": {"type": "integer"}}})]
    api.patch(f"{DEFINITIONS}/{name}", {"spec": {"versions": loose}})
    api.create(widgets(group, ns), small)
    filled = {
        "type": "object",
        "properties": {"size": SIZE, "new": {"type": "string", "default": "x"}},
    }
    api.patch(f"{DEFINITIONS}/{name}", {"spec": {"versions": [version(spec=filled)]}})
    assert api.get(f"{widgets(group, ns)}/a")["spec"] == {"size": -1, "new": "x"}
    status, kept = api.patch(f"{widgets(group, ns)}/a", {"metadata": {"labels": {"a": "b"}}})
    assert status == 200, kept
    status, refusal = api.patch(f"{widgets(group, ns)}/a", {"spec": {"size": -2}})
    assert causes(refusal) == {("FieldValueInvalid", "spec.size")}


def test_an_object_is_seen_in_every_version(api, ns, group):
    api.create(DEFINITIONS, definition(group, version("v1beta1", storage=False), version("v1")))
    made = api.create(widgets(group, ns, "v1beta1"), {"metadata": {"name": "a"}, "spec": {}})
    assert made["apiVersion"] == f"{group}/v1beta1"
    for name in ("v1", "v1beta1"):
        assert api.get(f"{widgets(group, ns, name)}/a")["apiVersion"] == f"{group}/{name}"
        (listed,) = api.get(widgets(group, ns, name))["items"]
        assert listed["apiVersion"] == f"{group}/{name}"
        assert api.patch(f"{widgets(group, ns, name)}/a", {"spec": {"size": 1}})[0] == 200
    found = api.get(f"/apis/{group}")
    assert [one["version"] for one in found["versions"]] == ["v1", "v1beta1"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"deprecationWarning": "please use gadgets"}, "please use gadgets"),
        ({}, "{group}/v1beta1 Widget is deprecated; use {group}/v2 Widget"),
    ],
)
def test_whoever_uses_a_deprecated_version_is_warned(api, ns, group, more, told):
    versions = [
        version("v1beta1", storage=False, deprecated=True, **more),
        version("v1"),
        version("v2", storage=False),
        version("v1alpha1", storage=False),
    ]
    api.create(DEFINITIONS, definition(group, *versions))
    old, wanted = widgets(group, ns, "v1beta1"), f'299 - "{told.format(group=group)}"'
    made = {"metadata": {"name": "a"}, "spec": {}}
    for method, path, body in (
        ("POST", old, made),
        ("POST", old, made),
        ("GET", f"{old}/a", None),
        ("GET", f"{old}/nobody", None),
        ("GET", old, None),
        ("GET", f"{old}?watch=true&timeoutSeconds=1", None),
        ("DELETE", f"{old}/a", None),
    ):
        assert api.send(method, path, body)[1].get("Warning") == wanted, (method, path)
    assert "Warning" not in api.send("GET", widgets(group, ns))[1]


def test_a_version_in_which_objects_are_stored_stays(api, group):
    body = definition(group)
    api.create(DEFINITIONS, body)
    status, refusal = api.patch(
        f"{DEFINITIONS}/{body['metadata']['name']}", {"spec": {"versions": [version("v2")]}}
    )
    assert (status, causes(refusal)) == (422, {("FieldValueInvalid", "status.storedVersions[0]")})


def test_two_kinds_of_a_group_cannot_have_one_name(api, group, wait_until):
    first = established(api, wait_until, definition(group, shortNames=["x"]))
    second = definition(group, kind="Gadget", shortNames=["x"])
    api.create(DEFINITIONS, second)
    name = second["metadata"]["name"]
    wait_until(lambda: conditions(api, name).get("NamesAccepted") == "False")
    assert conditions(api, name)["Established"] == "False"
    assert api.send("GET", f"/apis/{group}/v1/gadgets")[0] == 404
    api.call("DELETE", f"{DEFINITIONS}/{first}")
    wait_until(lambda: conditions(api, name).get("Established") == "True")
    assert api.get(f"/apis/{group}/v1/gadgets")["items"] == []


def test_a_definition_takes_its_objects_with_it(api, ns, group, wait_until):
    name = established(api, wait_until, definition(group))
    for at in range(3):
        api.create(widgets(group, ns), {"metadata": {"name": f"w{at}"}, "spec": {}})
    with api.watch(widgets(group, ns)) as events:
        status, answer = api.call("DELETE", f"{DEFINITIONS}/{name}")
        assert (status, answer["kind"]) == (200, "CustomResourceDefinition")
        assert {event["type"] for event in events} <= {"ADDED", "DELETED"}
    wait_until(lambda: api.call("GET", f"{DEFINITIONS}/{name}")[0] == 404)
    assert api.send("GET", widgets(group, ns))[::2] == (404, b"404 page not found\n")
    assert api.send("GET", f"/apis/{group}")[0] == 404
    established(api, wait_until, definition(group))
    assert api.get(widgets(group, ns))["items"] == []


def test_an_object_that_is_held_holds_its_definition(api, ns, group, wait_until):
    name = established(api, wait_until, definition(group))
    held = {"name": "a", "finalizers": ["example.com/hold"]}
    api.create(widgets(group, ns), {"metadata": held, "spec": {}})
    api.call("DELETE", f"{DEFINITIONS}/{name}")
    wait_until(lambda: api.get(f"{widgets(group, ns)}/a")["metadata"].get("deletionTimestamp"))
    assert conditions(api, name)["Terminating"] == "True"
    assert api.call("POST", widgets(group, ns), {"metadata": {"name": "b"}, "spec": {}})[0] == 405
    api.patch(f"{widgets(group, ns)}/a", {"metadata": {"finalizers": None}})
    wait_until(lambda: api.call("GET", f"{DEFINITIONS}/{name}")[0] == 404)


def test_a_restart_serves_what_was_defined(start_server, tmp_path, group):
    home = tmp_path / "box"
    server = start_server(home)
    server.api.create("/api/v1/namespaces", {"metadata": {"name": "default"}})
    server.api.create(DEFINITIONS, definition(group))
    server.api.create(widgets(group, "default"), {"metadata": {"name": "a"}, "spec": {"size": 2}})
    before = server.api.get(DEFINITIONS)
    server.stop()
    again = start_server(home).api
    assert again.get(f"{widgets(group, 'default')}/a")["spec"]["size"] == 2
    assert again.get(DEFINITIONS)["items"] == before["items"]


def test_scale_reads_and_writes_the_number_of_copies(api, ns, group):
    paths = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.ready"}
    api.create(DEFINITIONS, definition(group, version(subresources={"status": {}, "scale": paths})))
    at = f"{widgets(group, ns)}/a"
    api.create(widgets(group, ns), {"metadata": {"name": "a"}, "spec": {"size": 2}})
    scale = api.get(f"{at}/scale")
    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale",
        {"replicas": 2},
        {"replicas": 0},
    )
    scale["spec"]["replicas"] = 3
    assert api.call("PUT", f"{at}/scale", scale)[1]["spec"] == {"replicas": 3}
    assert api.get(at)["spec"]["size"] == 3
    assert api.call("PUT", f"{at}/scale", scale)[0] == 409
    assert api.patch(f"{at}/scale", {"spec": {"replicas": 4}})[1]["spec"] == {"replicas": 4}
    assert api.patch(f"{at}/scale", {"spec": {"replicas": -1}})[0] == 422


def test_our_kinds_are_told_and_nobody_changes_them(api):
    name = f"runs.{GROUP}"
    assert conditions(api, name)["Established"] == "True"
    told = api.get(f"{DEFINITIONS}/{name}")
    assert told["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == schemas()["Run"]
    for answer in (
        api.call("DELETE", f"{DEFINITIONS}/{name}"),
        api.patch(f"{DEFINITIONS}/{name}", {"spec": {"names": {"shortNames": ["r"]}}}),
        api.patch(f"{DEFINITIONS}/{name}/status", {"status": {"storedVersions": []}}),
        api.call("POST", DEFINITIONS, definition(GROUP)),
    ):
        assert (answer[0], answer[1]["reason"]) == (403, "Forbidden")
    assert api.get(f"{DEFINITIONS}/{name}") == told


def test_every_field_of_our_kinds_is_described():
    def undescribed(schema, path):
        for name, inside in schema.get("properties", {}).items():
            if not inside.get("description"):
                yield f"{path}.{name}"
            yield from undescribed(inside, f"{path}.{name}")
        if "items" in schema:
            yield from undescribed(schema["items"], path)

    assert [at for kind, schema in schemas().items() for at in undescribed(schema, kind)] == []


def test_what_a_kind_says_nothing_of_is_explained_with_nothing(api, kubectl, group):
    api.create(DEFINITIONS, definition(group, kind="Plain"))
    assert "<empty>" in kubectl("explain", "plains.spec", f"--api-version={group}/v1")


def test_explain_shows_what_a_field_is(kubectl):
    assert "Share of cards for each replica" in kubectl("explain", "run.spec.gpu")


def test_the_printed_definitions_serve_our_kinds_in_any_cluster(api, ns, group):
    printed = subprocess.run(
        [sys.executable, "-m", "shoal.api.crds"], capture_output=True, check=True, text=True
    )
    assert list(yaml.safe_load_all(printed.stdout)) == json.loads(json.dumps(definitions()))
    for body in definitions(group):
        api.create(DEFINITIONS, body)
    runs = f"/apis/{group}/v1alpha1/namespaces/{ns}/runs"
    spec = {
        "run": ["python", "-c", "1"],
        "gpu": "1/2",
        "cpu": 8,
        "retry": {"max": 1, "on": ["oom"]},
    }
    made = api.create(runs, {"metadata": {"name": "a"}, "spec": spec}, fieldValidation="Strict")
    defaults = {"queue": "default", "replicas": 1, "image": "host", "priority": "normal"}
    assert made["spec"] == spec | defaults
    status = {"phase": "Running", "startedAt": None, "replicas": [{"rank": 0, "cards": ["gpu-0"]}]}
    assert api.patch(f"{runs}/a/status", {"status": status})[0] == 200
    for wrong in ({"run": "x", "replicas": 0}, {"run": "x", "env": {"A": 1}}, {}):
        body = {"metadata": {"name": "b"}, "spec": wrong}
        assert api.call("POST", runs, body)[0] == 422, wrong


odd = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["spec", "size", "mode", "status", "metadata", "x"]), inner
        )
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(body=st.dictionaries(st.sampled_from(["metadata", "spec", "status", "x"]), odd))
def test_any_object_is_taken_or_refused(running, body):
    api, group = running.api, "odd.example.com"
    if api.send("GET", f"/apis/{group}/v1/widgets")[0] == 404:
        api.create(DEFINITIONS, definition(group, scope="Cluster"))
    status, _ = api.call("POST", f"/apis/{group}/v1/widgets", body, dryRun="All")
    assert status in (201, 400, 422)


@settings(max_examples=60, deadline=None)
@given(spec=odd, part=st.sampled_from(["spec", "names", "versions", "schema"]))
def test_any_definition_is_taken_or_refused(running, spec, part):
    body = copy.deepcopy(definition("odd2.example.com"))
    if part == "spec":
        body["spec"] = spec
    elif part == "schema":
        body["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": spec}
    else:
        body["spec"][part] = spec
    status, _ = running.api.call("POST", DEFINITIONS, body, dryRun="All")
    assert status in (201, 400, 422)

"""What is served, as clients find it out; and paths that lead nowhere."""

import json
import re

import pytest

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
V2 = {"Accept": f"{AGGREGATED.format('v2')},application/json"}


def told(api):
    """Every kind by group version and name, as the one-by-one form tells it."""
    groups = [v["groupVersion"] for g in api.get("/apis")["groups"] for v in g["versions"]]
    lists = [api.get("/api/v1"), *(api.get(f"/apis/{group}") for group in groups)]
    return {(one["groupVersion"], r["name"]): r for one in lists for r in one["resources"]}


def aggregated(api, path):
    _, document = api.call("GET", path, headers=V2)
    return {
        (f"{g['metadata'].get('name', '')}/{v['version']}".lstrip("/"), r["resource"]): r
        for g in document["items"]
        for v in g["versions"]
        for r in v["resources"]
    }


def test_discovery_tells_the_same_in_both_forms(api):
    one_by_one = told(api)
    together = aggregated(api, "/api") | aggregated(api, "/apis")
    assert together.keys() == {key for key in one_by_one if "/" not in key[1]}
    for (version, name), entry in together.items():
        flat = one_by_one[version, name]
        assert entry["verbs"] == flat["verbs"]
        assert (entry["scope"] == "Namespaced") is flat["namespaced"]
        below = {f"{name}/{sub['subresource']}" for sub in entry.get("subresources", [])}
        assert below == {n for v, n in one_by_one if v == version and n.startswith(f"{name}/")}


def test_what_is_listed_as_stored_can_be_listed(api):
    for (version, name), resource in told(api).items():
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if "list" in resource["verbs"]:
            assert api.get(f"{root}/{name}")["kind"].endswith("List")
        elif "/" not in name and not resource["namespaced"]:
            assert api.call("GET", f"{root}/{name}")[0] == 405


def test_the_kinds_of_ours_and_of_kubernetes_are_there(api):
    names = set(told(api))
    assert {("shoal.dev/v1alpha1", "runs/status"), ("v1", "pods/log")} <= names
    assert ("authorization.k8s.io/v1", "selfsubjectaccessreviews") in names


def test_only_the_newer_aggregated_form_is_given(api):
    older = {"Accept": f"{AGGREGATED.format('v2beta1')},application/json"}
    status, headers, body = api.send("GET", "/apis", headers=older)
    assert (status, json.loads(body)["kind"]) == (200, "APIGroupList")
    assert headers["Vary"] == "Accept"


@pytest.mark.parametrize(
    "path",
    ["/nope", "/apis/nope.test/v1", "/apis/nope.test/v1/things", "/api/v1//pods", "/livez/x"],
)
def test_outside_of_the_served_groups_the_404_is_plain(api, path):
    status, headers, body = api.send("GET", path)
    assert (status, headers["Content-Type"]) == (404, "text/plain; charset=utf-8")
    assert body == b"404 page not found\n"


@pytest.mark.parametrize("path", ["/apis/batch/v9", "/api/v9", "/api/v1/things"])
def test_within_the_groups_of_kubernetes_the_404_is_a_status(api, path):
    status, refusal = api.call("GET", path)
    assert (status, refusal["reason"]) == (404, "NotFound")


@pytest.mark.parametrize("path", ["/apis/batch", "/api/v1/namespaces", "/version", "/apis"])
def test_a_slash_at_the_end_changes_nothing(api, path):
    assert api.get(f"{path}/") == api.get(path)


def test_the_root_lists_paths_that_are_there(api):
    for path in api.get("/")["paths"]:
        assert api.send("GET", path)[0] == 200, path


@pytest.mark.parametrize("path", ["/version", "/apis", "/metrics", "/openapi/v3"])
def test_pages_are_read_only(api, path):
    assert api.call("POST", path, {})[0] == 405
    assert api.send("POST", f"{path}/nowhere/to/go")[0] == 404


def test_a_listed_subresource_that_is_not_served_says_so(api, ns):
    status, refusal = api.call("POST", f"/api/v1/namespaces/{ns}/pods/p/exec")
    assert (status, refusal["reason"]) == (501, "NotImplemented")
    assert api.call("PUT", f"/api/v1/namespaces/{ns}/pods/p/exec")[0] == 405


@pytest.mark.parametrize("name", ["healthz", "livez", "readyz"])
def test_health_tells_its_checks_when_asked(api, name):
    assert api.send("GET", f"/{name}")[2] == b"ok"
    assert api.send("GET", f"/{name}/ping")[2] == b"ok"
    lines = api.send("GET", f"/{name}", verbose="")[2].decode().splitlines()
    assert lines == ["[+]ping ok", "[+]store ok", f"{name} check passed"]


def samples(api):
    status, headers, body = api.send("GET", "/metrics")
    assert (status, headers["Content-Type"].partition(";")[0]) == (200, "text/plain")
    lines = body.decode().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))


def test_metrics_count_requests_streams_and_objects(api, ns, wait_until):
    requests = 'apiserver_request_total{{verb="{}",resource="configmaps",subresource="",code="{}"}}'
    path = f"/api/v1/namespaces/{ns}/configmaps"
    before = samples(api)
    api.create(path, {"metadata": {"name": "counted"}})
    api.call("GET", f"{path}/missing")
    api.get(path)
    after = samples(api)
    for sample in (("POST", 201), ("GET", 404), ("LIST", 200)):
        name = requests.format(*sample)
        assert int(after[name]) == int(before.get(name, 0)) + 1
    objects = 'apiserver_storage_objects{resource="configmaps"}'
    assert int(after[objects]) == int(before[objects]) + 1
    assert int(after["shoal_store_revision"]) > int(before["shoal_store_revision"])
    watches = 'apiserver_longrunning_requests{verb="WATCH",resource="configmaps",subresource=""}'
    with api.watch(path):
        assert samples(api)[watches] == "1"
    wait_until(lambda: samples(api)[watches] == "0")


def test_every_sample_is_in_the_text_format(api):
    sample = re.compile(r'\w+(\{\w+="[^"\\\n]*"(,\w+="[^"\\\n]*")*\})? \d+')
    for line in api.send("GET", "/metrics")[2].decode().splitlines():
        assert line.startswith(("# HELP ", "# TYPE ")) or sample.fullmatch(line)

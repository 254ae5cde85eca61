"""The life of an object: made, read, changed, held, deleted."""

import pytest

MERGE = "application/merge-patch+json"


def maps(ns):
    return f"/api/v1/namespaces/{ns}/configmaps"


def pods(ns):
    return f"/api/v1/namespaces/{ns}/pods"


def pod(name, **spec):
    containers = [{"name": "main", "image": "host"}]
    return {"metadata": {"name": name}, "spec": {"containers": containers} | spec}


def test_a_new_object_has_what_the_server_fills_in(api, ns):
    made = api.create(maps(ns), {"metadata": {"name": "a"}, "data": {"k": "v"}})
    assert (made["apiVersion"], made["kind"]) == ("v1", "ConfigMap")
    assert made["metadata"]["namespace"] == ns
    assert {"uid", "resourceVersion", "creationTimestamp"} <= made["metadata"].keys()
    assert api.get(f"{maps(ns)}/a") == made


def test_a_name_is_taken_once(api, ns):
    api.create(maps(ns), {"metadata": {"name": "a"}})
    status, refusal = api.call("POST", maps(ns), {"metadata": {"name": "a"}})
    assert (status, refusal["reason"]) == (409, "AlreadyExists")


def test_generated_names_differ(api, ns):
    body = {"metadata": {"generateName": "gen-"}}
    names = {api.create(maps(ns), body)["metadata"]["name"] for _ in range(5)}
    assert len(names) == 5
    assert all(name.startswith("gen-") for name in names)


def test_a_namespace_must_exist(api):
    status, refusal = api.call("POST", maps("nowhere"), {"metadata": {"name": "a"}})
    assert (status, refusal["details"]) == (404, {"name": "nowhere", "kind": "namespaces"})


def test_a_dry_run_checks_and_stores_nothing(api, ns):
    api.create(maps(ns), {"metadata": {"name": "a"}}, dryRun="All")
    assert api.call("GET", f"{maps(ns)}/a")[0] == 404
    assert api.call("POST", maps(ns), {"metadata": {"name": "Bad_"}}, dryRun="All")[0] == 422


def test_a_put_with_an_old_version_is_a_conflict_and_changes_nothing(api, ns):
    made = api.create(maps(ns), {"metadata": {"name": "a"}, "data": {"k": "1"}})
    assert api.call("PUT", f"{maps(ns)}/a", made | {"data": {"k": "2"}})[0] == 200
    status, refusal = api.call("PUT", f"{maps(ns)}/a", made | {"data": {"k": "3"}})
    assert (status, refusal["reason"]) == (409, "Conflict")
    assert api.get(f"{maps(ns)}/a")["data"] == {"k": "2"}


def test_a_write_that_changes_nothing_keeps_the_version(api, ns):
    made = api.create(maps(ns), {"metadata": {"name": "a"}, "data": {"k": "1"}})
    assert api.call("PUT", f"{maps(ns)}/a", made)[1] == made
    assert api.patch(f"{maps(ns)}/a", {"data": {"k": "1"}})[1] == made


@pytest.mark.parametrize("kind", ["queues", "gangs"])
def test_our_own_kinds_are_replaced_only_at_a_known_version(api, ns, kind):
    path = f"/apis/shoal.dev/v1alpha1/namespaces/{ns}/{kind}"
    made = api.create(path, {"metadata": {"name": "a"}})
    del made["metadata"]["resourceVersion"]
    status, refusal = api.call("PUT", f"{path}/a", made)
    assert (status, refusal["details"]["causes"][0]["field"]) == (422, "metadata.resourceVersion")


def test_only_the_status_path_writes_status_and_it_writes_nothing_else(api, ns):
    path = f"/apis/shoal.dev/v1alpha1/namespaces/{ns}/gangs"
    api.create(path, {"metadata": {"name": "g"}, "spec": {"members": 2}})
    body = {
        "spec": {"members": 3},
        "status": {"phase": "Placed"},
        "metadata": {"labels": {"a": "b"}},
    }
    _, changed = api.patch(f"{path}/g/status", body)
    assert changed["spec"] == {"members": 2}
    assert changed["status"] == {"phase": "Placed"}
    assert "labels" not in changed["metadata"]
    _, changed = api.patch(f"{path}/g", body | {"status": {"phase": "Waiting"}})
    assert changed["status"] == {"phase": "Placed"}
    assert changed["metadata"]["generation"] == 2


def test_the_generation_counts_changes_of_spec_alone(api, ns):
    path = f"/apis/shoal.dev/v1alpha1/namespaces/{ns}/gangs"
    made = api.create(path, {"metadata": {"name": "g"}, "spec": {"members": 2}})
    assert made["metadata"]["generation"] == 1
    _, labelled = api.patch(f"{path}/g", {"metadata": {"labels": {"a": "b"}}})
    assert labelled["metadata"]["generation"] == 1


def test_a_finalizer_holds_an_object_until_it_is_taken_away(api, ns):
    api.create(maps(ns), {"metadata": {"name": "a", "finalizers": ["example.com/hold"]}})
    status, held = api.call("DELETE", f"{maps(ns)}/a")
    assert status == 200
    assert "deletionTimestamp" in held["metadata"]
    added = {"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}}
    assert api.patch(f"{maps(ns)}/a", added)[0] == 422
    assert api.patch(f"{maps(ns)}/a", {"metadata": {"finalizers": None}})[0] == 200
    assert api.call("GET", f"{maps(ns)}/a")[0] == 404


@pytest.mark.parametrize(
    ("policy", "finalizer"), [("Foreground", "foregroundDeletion"), ("Orphan", "orphan")]
)
def test_a_propagation_policy_leaves_its_finalizer_for_the_collector(api, ns, policy, finalizer):
    api.create(maps(ns), {"metadata": {"name": "a"}})
    _, held = api.call("DELETE", f"{maps(ns)}/a", propagationPolicy=policy)
    assert held["metadata"]["finalizers"] == [finalizer]


def test_deletion_has_preconditions(api, ns):
    api.create(maps(ns), {"metadata": {"name": "a"}})
    options = {"preconditions": {"uid": "another"}}
    status, refusal = api.call("DELETE", f"{maps(ns)}/a", options)
    assert (status, refusal["reason"]) == (409, "Conflict")


def test_a_collection_is_deleted_by_selector(api, ns):
    for name, label in (("a", "1"), ("b", "2")):
        api.create(maps(ns), {"metadata": {"name": name, "labels": {"x": label}}})
    status, gone = api.call("DELETE", maps(ns), labelSelector="x=1")
    assert (status, [item["metadata"]["name"] for item in gone["items"]]) == (200, ["a"])
    assert [item["metadata"]["name"] for item in api.get(maps(ns))["items"]] == ["b"]


def test_an_unbound_pod_goes_at_once_a_bound_one_after_its_grace(api, ns):
    api.create(pods(ns), pod("a"))
    api.create(pods(ns), pod("b", terminationGracePeriodSeconds=7))
    binding = {"metadata": {"name": "b"}, "target": {"kind": "Node", "name": "box"}}
    assert api.call("POST", f"{pods(ns)}/b/binding", binding)[0] == 201
    assert api.call("DELETE", f"{pods(ns)}/a")[1]["metadata"]["deletionGracePeriodSeconds"] == 0
    assert api.call("GET", f"{pods(ns)}/a")[0] == 404
    assert api.call("DELETE", f"{pods(ns)}/b")[1]["metadata"]["deletionGracePeriodSeconds"] == 7
    assert api.get(f"{pods(ns)}/b")["metadata"]["deletionTimestamp"]
    api.call("DELETE", f"{pods(ns)}/b", gracePeriodSeconds="0")
    assert api.call("GET", f"{pods(ns)}/b")[0] == 404


@pytest.mark.parametrize("where", ["pod", "deletion"])
def test_a_grace_beyond_all_times_is_68_years(api, ns, where):
    spec = {"terminationGracePeriodSeconds": 2**63 - 1} if where == "pod" else {}
    api.create(pods(ns), pod("a", **spec))
    binding = {"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "box"}}
    api.call("POST", f"{pods(ns)}/a/binding", binding)
    asked = {} if where == "pod" else {"gracePeriodSeconds": str(2**63 - 1)}
    status, marked = api.call("DELETE", f"{pods(ns)}/a", **asked)
    assert (status, marked["metadata"]["deletionGracePeriodSeconds"]) == (200, 2**31 - 1)
    assert marked["metadata"]["deletionTimestamp"] < "2200"


def test_a_pod_is_bound_once_and_keeps_its_generation(api, ns):
    made = api.create(pods(ns), pod("a"))
    binding = {"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "box"}}
    stale = {"metadata": {"name": "a", "uid": "another"}, "target": binding["target"]}
    assert api.call("POST", f"{pods(ns)}/a/binding", stale)[0] == 409
    assert api.call("POST", f"{pods(ns)}/a/binding", binding)[0] == 201
    bound = api.get(f"{pods(ns)}/a")
    assert bound["spec"]["nodeName"] == "box"
    assert bound["metadata"]["generation"] == made["metadata"]["generation"]
    scheduled = [c["status"] for c in bound["status"]["conditions"] if c["type"] == "PodScheduled"]
    assert scheduled == ["True"]
    assert api.call("POST", f"{pods(ns)}/a/binding", binding)[0] == 409


def test_a_deleted_namespace_ends_when_its_finalizer_is_taken_away(api, ns):
    _, ending = api.call("DELETE", f"/api/v1/namespaces/{ns}")
    assert ending["status"]["phase"] == "Terminating"
    assert api.call("POST", maps(ns), {"metadata": {"name": "a"}})[0] == 403
    ending["spec"] = {}
    assert api.call("PUT", f"/api/v1/namespaces/{ns}/finalize", ending)[0] == 200
    assert api.call("GET", f"/api/v1/namespaces/{ns}")[0] == 404


def test_the_default_namespace_stays(api):
    assert api.call("DELETE", "/api/v1/namespaces/default")[0] == 403


def test_a_generation_is_never_negative(api, ns):
    body = {"metadata": {"name": "a", "generation": -4}}
    status, refusal = api.call("POST", maps(ns), body)
    (cause,) = refusal["details"]["causes"]
    assert (status, cause["field"]) == (422, "metadata.generation")


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("{pods}", pod("a", overhead={"cpu": -1}), "spec.overhead[cpu]"),
        (
            "{pods}",
            pod("a", resources={"limits": {"cpu": "-1"}}),
            "spec.resources.limits[cpu]",
        ),
        (
            "{pods}",
            pod("a", volumes=[{"name": "v", "emptyDir": {"sizeLimit": "-1"}}]),
            "spec.volumes[0].emptyDir[sizeLimit]",
        ),
        ("{pods}", pod("a", activeDeadlineSeconds=1 << 31), "spec.activeDeadlineSeconds"),
        (
            "/api/v1/persistentvolumes",
            {
                "metadata": {"name": "a"},
                "spec": {
                    "capacity": {"storage": "-1"},
                    "accessModes": ["ReadWriteOnce"],
                    "hostPath": {"path": "/x"},
                },
            },
            "spec.capacity[storage]",
        ),
        (
            "/api/v1/namespaces/{ns}/persistentvolumeclaims",
            {
                "metadata": {"name": "a"},
                "spec": {
                    "resources": {"requests": {"storage": "-1"}},
                    "accessModes": ["ReadWriteOnce"],
                },
            },
            "spec.resources.requests[storage]",
        ),
        (
            "/api/v1/nodes",
            {"metadata": {"name": "a"}, "status": {"capacity": {"cpu": "-1"}}},
            "status.capacity[cpu]",
        ),
    ],
)
def test_no_amount_is_less_than_nothing(api, ns, path, body, field):
    status, refusal = api.call("POST", path.format(ns=ns, pods=pods(ns)), body, dryRun="All")
    assert status == 422
    assert field in {cause["field"] for cause in refusal["details"]["causes"]}

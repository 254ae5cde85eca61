"""Pods as the server keeps them: accounts, gates, bindings, evictions and what is refused."""

import pytest

ACCOUNT_PLACE = "/var/run/secrets/kubernetes.io/serviceaccount"
JSON_PATCH = "application/json-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@pytest.fixture
def pods(ns):
    return f"/api/v1/namespaces/{ns}/pods"


@pytest.fixture
def accounts(ns):
    return f"/api/v1/namespaces/{ns}/serviceaccounts"


def pod(**spec):
    containers = {"containers": [{"name": "c", "image": "host"}]}
    return {"metadata": {"name": "p"}, "spec": containers | spec}


def causes_of(answer):
    status, refusal = answer
    assert status == 422, refusal
    return {(cause["field"], cause["reason"]) for cause in refusal["details"]["causes"]}


def test_a_pod_gets_the_volume_of_its_account(api, pods, accounts):
    api.create(accounts, {"metadata": {"name": "mine"}, "imagePullSecrets": [{"name": "s"}]})
    spec = api.create(pods, pod(serviceAccountName="mine"))["spec"]
    (mount,) = spec["containers"][0]["volumeMounts"]
    assert (mount["mountPath"], mount["readOnly"]) == (ACCOUNT_PLACE, True)
    assert [volume["name"] for volume in spec["volumes"]] == [mount["name"]]
    assert spec["imagePullSecrets"] == [{"name": "s"}]


@pytest.mark.parametrize("declined_by", ["account", "pod"])
def test_an_account_is_not_mounted_where_that_is_declined(api, pods, accounts, declined_by):
    declines = {"automountServiceAccountToken": False}
    account, own = (declines, {}) if declined_by == "account" else ({}, declines)
    api.create(accounts, {"metadata": {"name": "mine"}} | account)
    assert "volumes" not in api.create(pods, pod(serviceAccountName="mine", **own))["spec"]


def test_an_account_that_is_not_there_is_forbidden(api, pods):
    status, refusal = api.call("POST", pods, pod(serviceAccountName="nobody"))
    assert (status, refusal["reason"]) == (403, "Forbidden")


def test_a_namespace_without_its_default_account_takes_pods(api, pods):
    assert api.create(pods, pod())["spec"]["serviceAccountName"] == "default"


def test_a_gated_pod_says_so_and_takes_no_node(api, pods):
    made = api.create(pods, pod(schedulingGates=[{"name": "example.com/hold"}]))
    (condition,) = made["status"]["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "SchedulingGated")
    binding = {"metadata": {"name": "p"}, "target": {"name": "n"}}
    assert api.call("POST", f"{pods}/p/binding", binding)[0] == 409
    assert api.patch(f"{pods}/p", {"spec": {"schedulingGates": None}})[0] == 200
    assert api.call("POST", f"{pods}/p/binding", binding)[0] == 201


def test_gates_are_taken_away_but_not_added(api, pods):
    api.create(pods, pod())
    answer = api.patch(f"{pods}/p", {"spec": {"schedulingGates": [{"name": "a"}]}})
    assert causes_of(answer) == {("spec.schedulingGates[0].name", "FieldValueForbidden")}


RESOURCES = "spec.containers[0].resources"


@pytest.mark.parametrize(
    ("resources", "field"),
    [
        ({"limits": {"nvidia.com/gpu": -1}}, "limits[nvidia.com/gpu]"),
        ({"limits": {"cpu": "-1"}}, "limits[cpu]"),
        ({"requests": {"memory": "-1Gi"}}, "requests[memory]"),
        ({"requests": {"gpu": 1}}, "requests[gpu]"),
        ({"limits": {"pods": 1}}, "limits[pods]"),
        ({"limits": {"a b/c": 1}}, "limits[a b/c]"),
    ],
)
def test_amounts_and_names_of_resources_are_told_by_their_key(api, pods, resources, field):
    container = {"name": "c", "image": "host", "resources": resources}
    answer = api.call("POST", pods, pod(containers=[container]))
    assert (f"{RESOURCES}.{field}", "FieldValueInvalid") in causes_of(answer)


def test_an_amount_past_the_most_there_is_stands_for_that(api, pods):
    container = {"name": "c", "image": "host", "resources": {"limits": {"cpu": "1e30"}}}
    made = api.create(pods, pod(containers=[container]))
    assert made["spec"]["containers"][0]["resources"]["limits"] == {"cpu": str(2**63 - 1)}


SIDECAR = {"name": "side", "image": "host", "restartPolicy": "Always"}


def test_a_sidecar_is_no_cause_for_a_warning_and_other_policies_are(api, pods):
    def write(*init):
        status, headers, _ = api.send("POST", pods, pod(initContainers=init), dryRun="All")
        return status, [text for text in headers.get_all("warning") or () if "restart" in text]

    assert write(SIDECAR) == (201, [])
    status, (told,) = write(SIDECAR | {"restartPolicy": "Never"})
    assert status == 201
    assert "spec.initContainers[0].restartPolicy has no effect on this machine" in told
    assert write(SIDECAR | {"restartPolicy": "Sometimes"}) == (422, [])


def test_sidecars_are_counted_among_the_containers_that_are_ready(api, pods):
    api.create(pods, pod(initContainers=[SIDECAR, {"name": "init", "image": "host"}]))

    def row(side, main, **conditions):
        told = {"name": "side", "ready": side, "started": side, "restartCount": 2}
        init = [told | {"state": {"running": {}} if side else {"waiting": {"reason": "Slow"}}}]
        init.append({"name": "init", "state": {"waiting": {"reason": "PodInitializing"}}})
        status = {
            "phase": "Running" if main else "Pending",
            "initContainerStatuses": init,
            "containerStatuses": [
                {"name": "c", "ready": main, "state": {"running": {}} if main else {"waiting": {}}}
            ],
            "conditions": [{"type": kind, "status": told} for kind, told in conditions.items()],
        }
        assert api.patch(f"{pods}/p/status", {"status": status})[0] == 200
        return api.get(pods, headers={"Accept": TABLE})["rows"][0]["cells"][1:4]

    assert row(side=False, main=False) == ["0/2", "Init:Slow", "2"]
    assert row(side=True, main=False) == ["1/2", "PodInitializing", "2"]
    assert row(side=True, main=True, Initialized="True") == ["2/2", "Running", "2"]
    assert row(side=False, main=True, Initialized="True") == ["1/2", "Running", "2"]


def test_only_a_gated_pod_may_be_told_where_to_go(api, pods):
    api.create(pods, pod(schedulingGates=[{"name": "a"}], nodeSelector={"zone": "a"}))
    assert api.patch(f"{pods}/p", {"spec": {"nodeSelector": {"rack": "1"}}})[0] == 200
    wider = api.patch(f"{pods}/p", {"spec": {"nodeSelector": {"zone": None}}})
    assert causes_of(wider) == {("spec.nodeSelector", "FieldValueInvalid")}
    api.patch(f"{pods}/p", {"spec": {"schedulingGates": []}})
    late = api.patch(f"{pods}/p", {"spec": {"nodeSelector": {"disk": "fast"}}})
    assert causes_of(late) == {("spec", "FieldValueForbidden")}


def test_a_toleration_may_change_how_long_it_holds(api, pods):
    api.create(pods, pod())
    path = "/spec/tolerations/0/tolerationSeconds"
    patch = [{"op": "replace", "path": path, "value": 5}]
    assert api.patch(f"{pods}/p", patch, kind=JSON_PATCH)[0] == 200


@pytest.mark.parametrize(
    ("spec", "cause"),
    [
        (
            {"tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]},
            ("spec.tolerations[0].operator", "FieldValueInvalid"),
        ),
        (
            {"tolerations": [{"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}]},
            ("spec.tolerations[0].effect", "FieldValueInvalid"),
        ),
        (
            {"volumes": [{"name": "v", "emptyDir": {}, "hostPath": {"path": "/"}}]},
            ("spec.volumes[0].hostPath", "FieldValueForbidden"),
        ),
        (
            {"schedulingGates": [{"name": "a"}], "nodeName": "n"},
            ("spec.nodeName", "FieldValueForbidden"),
        ),
    ],
)
def test_a_wrong_pod_is_told_by_field(api, pods, spec, cause):
    assert cause in causes_of(api.call("POST", pods, pod(**spec)))


@pytest.mark.parametrize(
    ("container", "cause"),
    [
        (
            {"ports": [{"containerPort": 70000}]},
            ("ports[0].containerPort", "FieldValueInvalid"),
        ),
        (
            {"env": [{"name": "A", "value": "1", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}]},
            ("env[0].valueFrom", "FieldValueInvalid"),
        ),
        (
            {
                "volumeMounts": [
                    {"name": "v", "mountPath": "a"},
                    {"name": "v", "mountPath": "a"},
                ]
            },
            ("volumeMounts[1].mountPath", "FieldValueInvalid"),
        ),
    ],
)
def test_a_wrong_container_is_told_by_field(api, pods, container, cause):
    body = pod(
        containers=[{"name": "c", "image": "host"} | container],
        volumes=[{"name": "v", "emptyDir": {}}],
    )
    field, reason = cause
    assert (f"spec.containers[0].{field}", reason) in causes_of(api.call("POST", pods, body))


def test_a_negative_grace_is_a_second(api, pods):
    made = api.create(pods, pod(terminationGracePeriodSeconds=-1))
    assert made["spec"]["terminationGracePeriodSeconds"] == 1


def test_an_evicted_pod_is_deleted(api, pods):
    api.create(pods, pod())
    assert api.call("POST", f"{pods}/p/eviction", {"metadata": {"name": "p"}})[0] == 201
    assert api.call("GET", f"{pods}/p")[0] == 404


def test_an_evicted_pod_that_runs_says_so_until_it_is_gone(api, pods):
    api.create(pods, pod(nodeName="box", terminationGracePeriodSeconds=30))
    for _ in range(2):
        assert api.call("POST", f"{pods}/p/eviction", {"metadata": {"name": "p"}})[0] == 201
    leaving = api.get(f"{pods}/p")
    assert leaving["metadata"]["deletionTimestamp"]
    told = [(c["type"], c["status"], c["reason"]) for c in leaving["status"]["conditions"]]
    assert told == [("DisruptionTarget", "True", "EvictionByEvictionAPI")]


@pytest.mark.parametrize("where", ["query", "body"])
def test_an_eviction_that_is_only_tried_leaves_the_pod(api, pods, where):
    api.create(pods, pod())
    body = {"metadata": {"name": "p"}}
    if where == "body":
        status, _ = api.call(
            "POST", f"{pods}/p/eviction", body | {"deleteOptions": {"dryRun": ["All"]}}
        )
    else:
        status, _ = api.call("POST", f"{pods}/p/eviction", body, dryRun="All")
    assert status == 201
    assert api.call("GET", f"{pods}/p")[0] == 200


def test_an_eviction_keeps_to_the_pod_it_means(api, pods):
    api.create(pods, pod())
    options = {"preconditions": {"uid": "11111111-2222-3333-4444-555555555555"}}
    body = {"metadata": {"name": "p"}, "deleteOptions": options}
    assert api.call("POST", f"{pods}/p/eviction", body)[0] == 409


def test_bindings_of_a_namespace_bind_too(api, pods):
    api.create(pods, pod())
    bindings = pods.replace("/pods", "/bindings")
    body = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    assert api.call("POST", bindings, body)[0] == 201
    assert api.get(f"{pods}/p")["spec"]["nodeName"] == "n"
    assert api.call("GET", bindings)[0] == 405

"""What each kind fills in, refuses, and tells."""

import base64

import pytest

RUNS = "/apis/shoal.dev/v1alpha1/namespaces/{}/runs"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims"
STRATEGIC = "application/strategic-merge-patch+json"


def run(name="a", **spec):
    return {"metadata": {"name": name}, "spec": {"run": "true"} | spec}


def refusal_of(api, path, body):
    status, refusal = api.call("POST", path, body)
    assert status == 422, refusal
    return {cause["field"]: cause["message"] for cause in refusal["details"]["causes"]}


def test_a_run_shows_its_defaults(api, ns):
    spec = api.create(RUNS.format(ns), run(gpu="1/2"))["spec"]
    assert spec == {
        "run": "true",
        "gpu": "1/2",
        "queue": "default",
        "replicas": 1,
        "image": "host",
        "priority": "normal",
    }


def test_amounts_of_a_run_need_no_quotes(api, ns):
    spec = api.create(RUNS.format(ns), run(gpu=2, cpu=0.5, limits={"time": 60}))["spec"]
    assert (spec["gpu"], spec["cpu"], spec["limits"]) == ("2", "0.5", {"time": "60"})


@pytest.mark.parametrize(
    ("spec", "field", "words"),
    [
        ({"gpus": "1"}, "spec.gpus", "is not a field; did you mean gpu?"),
        ({"deadline": "x"}, "spec.deadline", "is not supported yet"),
        ({"limits": {"budget": 4}}, "spec.limits.budget", "not supported yet"),
        ({"limits": {"tmie": "1h"}}, "spec.limits.tmie", "did you mean time?"),
        ({"gpu": "1.5"}, "spec.gpu", "a part of a card is at most 1"),
        ({"memory": "lots"}, "spec.memory", "not a quantity"),
        ({"limits": {"time": "soon"}}, "spec.limits.time", "not a duration"),
        ({"replicas": 0}, "spec.replicas", "takes 1 to"),
        ({"replicas": "2..4"}, "spec.replicas", "whole number"),
        ({"retry": {"on": ["rain"]}}, "spec.retry.on[0]", "rain"),
        ({"code": "relative"}, "spec.code", "absolute path"),
        ({"env": {"A=B": "1"}}, "spec.env.A=B", "no variable"),
        ({"env": {"A": 1}}, "spec.env", "example: env"),
        ({"queue": "Big Queue"}, "spec.queue", "not a name"),
        ({"run": ""}, "spec.run", "example"),
        ({"image": ""}, "spec.image", "is empty; leave it out or give a value; example: image: ho"),
        ({"queue": ""}, "spec.queue", "example: queue: default"),
        ({"priority": ""}, "spec.priority", "example: priority: high"),
        ({"code": ""}, "spec.code", "example: code: /home/me/project"),
        ({"gpu": ""}, "spec.gpu", "is empty; leave it out or give an amount; example: gpu: A100:1"),
        ({"cpu": ""}, "spec.cpu", "example: cpu: 8"),
        ({"memory": ""}, "spec.memory", "example: memory: 32Gi"),
        ({"shm": ""}, "spec.shm", "example: shm: 8Gi"),
        ({"limits": {"time": ""}}, "spec.limits.time", "example: limits: {time: 12h}"),
    ],
)
def test_a_wrong_run_is_told_where_and_why(api, ns, spec, field, words):
    causes = refusal_of(api, RUNS.format(ns), run(**spec))
    assert list(causes) == [field]
    assert words in causes[field]


def test_a_refusal_names_each_field_once(api, ns):
    _, refusal = api.call("POST", RUNS.format(ns), run(gpus="1"))
    told = "spec.gpus: is not a field; did you mean gpu?"
    assert refusal["message"] == f'Run.shoal.dev "a" is invalid: {told}'


def warnings_of(api, path, body):
    status, headers, _ = api.send("POST", path, body)
    assert status == 201
    return "\n".join(headers.get_all("Warning") or ())


def test_a_queue_that_does_not_exist_is_told_in_a_warning(api, ns):
    told = "queue big does not exist; it is only a name for now"
    assert told in warnings_of(api, RUNS.format(ns), run("a", queue="big"))
    api.create(f"/apis/shoal.dev/v1alpha1/namespaces/{ns}/queues", {"metadata": {"name": "big"}})
    assert warnings_of(api, RUNS.format(ns), run("b", queue="big")) == ""


def test_a_runs_name_leaves_room_for_the_names_of_its_pods(api, ns):
    longest = run() | {"metadata": {"name": "a" * 52}}
    api.create(RUNS.format(ns), longest)
    causes = refusal_of(api, RUNS.format(ns), run() | {"metadata": {"name": "a" * 53}})
    assert "at most 52" in causes["metadata.name"]


def test_a_run_without_a_name_is_refused(api, ns):
    causes = refusal_of(api, RUNS.format(ns), {"spec": {"run": "true"}})
    assert causes.keys() == {"metadata.name"}


def test_a_field_in_the_wrong_place_is_refused(api, ns):
    assert "gpu" in refusal_of(api, RUNS.format(ns), run() | {"gpu": "1"})


def test_of_a_run_only_stop_changes_and_only_once(api, ns):
    path = f"{RUNS.format(ns)}/a"
    api.create(RUNS.format(ns), run(gpu="1/2"))
    status, refusal = api.patch(path, {"spec": {"gpu": "1"}})
    assert (status, refusal["details"]["causes"][0]["field"]) == (422, "spec.gpu")
    assert api.patch(path, {"metadata": {"labels": {"a": "b"}}})[0] == 200
    assert api.patch(path, {"spec": {"stop": True}})[1]["metadata"]["generation"] == 2
    assert api.patch(path, {"spec": {"stop": False}})[0] == 422


def test_a_status_that_no_reader_could_decode_is_refused(api, ns):
    api.create(RUNS.format(ns), run())
    path = f"{RUNS.format(ns)}/a/status"
    assert api.patch(path, {"status": {"phase": "Dancing"}})[0] == 422
    assert api.patch(path, {"status": {"fase": "Running"}})[0] == 422
    assert api.patch(path, {"status": {"phase": "Running"}})[0] == 200


def test_a_table_of_runs_tells_amount_place_and_message(api, ns):
    api.create(RUNS.format(ns), run(gpu="1/4", replicas=2))
    replicas = [
        {"rank": 0, "node": "box", "cards": ["gpu-0"]},
        {"rank": 1, "node": "box", "cards": ["gpu-1"]},
    ]
    status = {"phase": "Running", "message": "all is well", "replicas": replicas}
    assert api.patch(f"{RUNS.format(ns)}/a/status", {"status": status})[0] == 200
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    table = api.call("GET", RUNS.format(ns), headers=accept)[1]
    shown = dict(
        zip((c["name"] for c in table["columnDefinitions"]), table["rows"][0]["cells"], strict=True)
    )
    assert shown["GPU"] == "2 × 1/4"
    assert shown["Where"] == "box:0,1"
    assert shown["Message"] == "all is well"


def pod(**spec):
    return {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "host"}]} | spec,
    }


def test_a_pod_is_completed_as_people_know_it(api, ns):
    made = api.create(f"/api/v1/namespaces/{ns}/pods", pod())
    assert made["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    spec = made["spec"]
    assert (spec["restartPolicy"], spec["terminationGracePeriodSeconds"]) == ("Always", 30)
    assert (spec["dnsPolicy"], spec["priority"]) == ("ClusterFirst", 0)


def test_a_pod_field_without_effect_is_told_in_a_warning(api, ns):
    body = pod(
        affinity={"nodeAffinity": {}},
        securityContext={"runAsUser": 5},
        containers=[
            {
                "name": "c",
                "image": "host",
                "ports": [{"containerPort": 80}],
                "livenessProbe": {"exec": {"command": ["true"]}},
                "resources": {"limits": {"amd.com/gpu": 1, "cpu": 1}},
            }
        ],
        volumes=[{"name": "v", "nfs": {"server": "s", "path": "/"}}],
    )
    _, headers, _ = api.send("POST", f"/api/v1/namespaces/{ns}/pods", body)
    told = "\n".join(headers.get_all("Warning"))
    for field in (
        "spec.affinity",
        "spec.securityContext",
        "spec.containers[0].livenessProbe",
        "spec.containers[0].resources.limits[amd.com/gpu]",
        "spec.volumes[0].nfs",
    ):
        assert field in told
    assert "ports" not in told


@pytest.mark.parametrize(
    ("spec", "warning"),
    [
        (
            {"volumes": [{"name": "v", "nfs": {"server": "s", "path": "/"}}]},
            "spec.volumes[0].nfs is not supported on this machine; the pod will fail",
        ),
        (
            {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]},
            "env[0].valueFrom.resourceFieldRef is not supported on this machine; the pod will fail",
        ),
        (
            {"resources": {"limits": {"amd.com/gpu": 1}}},
            "limits[amd.com/gpu] is offered by no node; ask for cards by a ResourceClaim of class "
            "gpu.shoal.dev; the pod will wait",
        ),
        (
            {"resources": {"limits": {"ephemeral-storage": "1Gi"}}},
            "limits[ephemeral-storage] has no effect on this machine",
        ),
    ],
)
def test_a_warning_tells_what_will_become_of_the_pod(api, ns, spec, warning):
    volumes = spec.pop("volumes", [])
    body = pod(containers=[{"name": "c", "image": "host"} | spec], volumes=volumes)
    assert warning in warnings_of(api, f"/api/v1/namespaces/{ns}/pods", body)


EMPTY = {"name": "v", "emptyDir": {}}
DATA = {"name": "v", "hostPath": {"path": "/data/"}}
MEMORY = {"name": "v", "emptyDir": {"medium": "Memory"}}
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
TOKEN = {"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}


def mount_warnings(api, ns, volume, image="host", **mount):
    container = {"name": "c", "image": image, "volumeMounts": [{"name": "v"} | mount]}
    body = pod(containers=[container], volumes=[volume])
    return warnings_of(api, f"/api/v1/namespaces/{ns}/pods", body)


@pytest.mark.parametrize(
    ("volume", "path"),
    [
        (EMPTY, "/work"),
        (EMPTY, "."),
        (EMPTY, ".."),
        (EMPTY, "../../away"),
        (EMPTY, "/dev/shm"),
        (DATA, "/work"),
    ],
)
def test_a_mount_that_a_process_cannot_have_is_told(api, ns, volume, path):
    told = f"spec.containers[0].volumeMounts[0].mountPath {path} is no place for a mount"
    assert told in mount_warnings(api, ns, volume, mountPath=path)


@pytest.mark.parametrize(
    ("volume", "mount"),
    [
        (EMPTY, {"mountPath": "work"}),
        (EMPTY, {"mountPath": "../beside"}),
        (MEMORY, {"mountPath": "/dev/shm"}),
        (DATA, {"mountPath": "/data"}),
        (DATA, {"mountPath": "/data/in/", "subPath": "in"}),
        (TOKEN, {"mountPath": ACCOUNT, "readOnly": True}),
        (EMPTY, {"mountPath": "/work", "image": "python:3.12"}),
    ],
)
def test_a_mount_that_a_process_can_have_raises_no_warning(api, ns, volume, mount):
    assert mount_warnings(api, ns, volume, **mount) == ""


def test_a_process_can_write_to_a_mount_that_is_to_be_read_only(api, ns):
    told = mount_warnings(api, ns, EMPTY, mountPath="work", readOnly=True)
    assert "volumeMounts[0].readOnly has no effect on this machine" in told


def test_a_supported_pod_raises_no_warning(api, ns):
    body = pod(activeDeadlineSeconds=5, volumes=[{"name": "v", "emptyDir": {}}])
    _, headers, _ = api.send("POST", f"/api/v1/namespaces/{ns}/pods", body)
    assert headers.get_all("Warning") is None


def test_an_image_raises_no_warning(api, ns):
    body = pod(containers=[{"name": "c", "image": "python:3.12"}])
    _, headers, _ = api.send("POST", f"/api/v1/namespaces/{ns}/pods", body)
    assert headers.get_all("Warning") is None


def test_an_invalid_pod_is_told_field_by_field(api, ns):
    container = {"name": "Bad_", "image": "", "volumeMounts": [{"name": "none", "mountPath": "/x"}]}
    causes = refusal_of(
        api, f"/api/v1/namespaces/{ns}/pods", pod(containers=[container], restartPolicy="Perhaps")
    )
    assert set(causes) == {
        "spec.restartPolicy",
        "spec.containers[0].name",
        "spec.containers[0].image",
        "spec.containers[0].volumeMounts[0].name",
    }


def test_a_pod_takes_its_priority_from_its_class(api, ns):
    api.call(
        "POST",
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        {"metadata": {"name": "top"}, "value": 7},
    )
    path = f"/api/v1/namespaces/{ns}/pods"
    assert api.create(path, pod(priorityClassName="top"))["spec"]["priority"] == 7
    status, _ = api.call("POST", path, {**pod(priorityClassName="none"), "metadata": {"name": "q"}})
    assert status == 403


def test_of_a_pod_only_images_and_nearer_deadlines_change(api, ns):
    path = f"/api/v1/namespaces/{ns}/pods"
    api.create(path, pod())
    image = {"spec": {"containers": [{"name": "c", "image": "other"}]}}
    assert api.patch(f"{path}/p", image, STRATEGIC)[0] == 200
    command = {"spec": {"containers": [{"name": "c", "command": ["x"]}]}}
    assert api.patch(f"{path}/p", command, STRATEGIC)[0] == 422
    assert api.patch(f"{path}/p", {"spec": {"nodeName": "box"}})[0] == 422
    assert api.patch(f"{path}/p", {"spec": {"activeDeadlineSeconds": 100}})[0] == 200
    assert api.patch(f"{path}/p", {"spec": {"activeDeadlineSeconds": 200}})[0] == 422
    assert api.patch(f"{path}/p", {"spec": {"activeDeadlineSeconds": 1}})[0] == 200


@pytest.fixture
def claim(api, ns):
    exactly = {"deviceClassName": "gpu.shoal.dev"}
    requests = [{"name": "gpu", "exactly": exactly}]
    body = {"metadata": {"name": "c"}, "spec": {"devices": {"requests": requests}}}
    api.create(CLAIMS.format(ns), body)
    return f"{CLAIMS.format(ns)}/c"


def allocation(device="gpu-0"):
    result = {"request": "gpu", "driver": "gpu.shoal.dev", "pool": "box", "device": device}
    return {"devices": {"results": [result]}}


USER = {"resource": "pods", "name": "p", "uid": "u"}


def test_a_claim_asks_for_one_device_unless_told_otherwise(api, claim):
    exactly = api.get(claim)["spec"]["devices"]["requests"][0]["exactly"]
    assert (exactly["allocationMode"], exactly["count"]) == ("ExactCount", 1)


def test_what_a_claim_asks_for_never_changes(api, claim):
    status, _ = api.patch(claim, {"spec": {"devices": {"requests": []}}})
    assert status == 422


def test_an_allocation_stays_until_it_is_cleared(api, claim):
    held = {"status": {"allocation": allocation(), "reservedFor": [USER]}}
    assert api.patch(f"{claim}/status", held)[0] == 200
    assert api.patch(f"{claim}/status", {"status": {"allocation": allocation("gpu-1")}})[0] == 422
    cleared = {"status": {"allocation": None, "reservedFor": None}}
    assert api.patch(f"{claim}/status", cleared)[0] == 200
    assert api.patch(f"{claim}/status", {"status": {"allocation": allocation("gpu-1")}})[0] == 200


def test_a_reservation_needs_an_allocation(api, claim):
    assert api.patch(f"{claim}/status", {"status": {"reservedFor": [USER]}})[0] == 422


def test_nobody_new_uses_a_claim_that_is_being_deleted(api, claim):
    held = {"status": {"allocation": allocation(), "reservedFor": [USER]}}
    api.patch(claim, {"metadata": {"finalizers": ["resource.kubernetes.io/delete-protection"]}})
    api.patch(f"{claim}/status", held)
    api.call("DELETE", claim)
    more = {"status": {"reservedFor": [USER, USER | {"name": "q", "uid": "v"}]}}
    assert api.patch(f"{claim}/status", more)[0] == 422
    assert api.patch(f"{claim}/status", {"status": {"reservedFor": [USER]}})[0] == 200


def test_a_secret_takes_texts_and_gives_base64(api, ns):
    path = f"/api/v1/namespaces/{ns}/secrets"
    made = api.create(path, {"metadata": {"name": "s"}, "stringData": {"k": "v"}})
    assert made["data"] == {"k": base64.b64encode(b"v").decode()}
    assert "stringData" not in made
    assert (
        api.call("POST", path, {"metadata": {"name": "t"}, "data": {"k": "no base64!"}})[0] == 400
    )


def test_fields_of_the_wrong_type_never_reach_a_reader(api, ns):
    path = f"/api/v1/namespaces/{ns}/configmaps"
    assert api.call("POST", path, {"metadata": {"name": "a"}, "data": {"k": 1}})[0] == 400
    assert api.call("POST", path, {"metadata": {"name": "a", "labels": {"k": 1}}})[0] == 400
    assert api.call("POST", path, {"metadata": []})[0] == 400
    pods = f"/api/v1/namespaces/{ns}/pods"
    assert api.call("POST", pods, {"metadata": {"name": "p"}, "spec": {"containers": {}}})[0] == 400


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            {"lifecycle": {"preStop": {"exec": {"command": ["sleep", True]}}}},
            "lifecycle.preStop.exec.command[1]: takes a text, got true",
        ),
        ({"stdin": "yes"}, 'stdin: takes true or false, got "yes"'),
        ({"ports": {"a": 1}}, 'ports: takes a list, got {"a":1}'),
        (
            {"livenessProbe": {"httpGet": {"port": 1.5}}},
            "livenessProbe.httpGet.port: takes a whole number or a text, got 1.5",
        ),
        (
            {"livenessProbe": {"periodSeconds": "5"}},
            'livenessProbe.periodSeconds: takes a whole number, got "5"',
        ),
        (
            {"resources": {"limits": {"cpu": "many"}}},
            'resources.limits.cpu: takes an amount such as 500m or 2Gi, got "many"',
        ),
    ],
)
def test_a_pod_that_kubectl_could_not_decode_is_not_stored(api, ns, spec, told):
    path = f"/api/v1/namespaces/{ns}/pods"
    wrong = pod(containers=[{"name": "c", "image": "host"} | spec])
    status, refusal = api.call("POST", path, wrong)
    assert (status, refusal["message"]) == (400, f"Pod cannot be read: spec.containers[0].{told}")
    api.create(path, pod())
    status, refusal = api.patch(f"{path}/p", wrong, STRATEGIC)
    assert status == 422
    assert told in refusal["message"]


def test_shared_memory_of_a_program_on_the_host_is_told_to_have_no_effect(api, ns):
    _, headers, _ = api.send("POST", RUNS.format(ns), run(shm="1Gi"))
    assert "spec.shm has no effect" in headers["Warning"]

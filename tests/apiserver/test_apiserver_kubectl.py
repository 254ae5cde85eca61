"""A stock kubectl against the server."""

import itertools
import json
import subprocess

import pytest

RUN = """
apiVersion: shoal.dev/v1alpha1
kind: Run
metadata: {name: digits, labels: {team: vision}}
spec: {run: python train.py, gpu: 1/2}
"""
MAP = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: "1", b: "2"}
"""


def test_it_lists_what_is_served(kubectl):
    told = kubectl("api-resources", "-o", "name").split()
    assert {"pods", "runs.shoal.dev", "resourceclaims.resource.k8s.io"} <= set(told)


def test_apply_creates_leaves_alone_and_changes(kubectl, ns):
    assert "created" in kubectl("-n", ns, "apply", "-f", "-", given=MAP)
    assert "unchanged" in kubectl("-n", ns, "apply", "-f", "-", given=MAP)
    changed = MAP.replace(', b: "2"', ', c: "3"')
    assert "configured" in kubectl("-n", ns, "apply", "-f", "-", given=changed)
    data = json.loads(kubectl("-n", ns, "get", "cm", "settings", "-o", "json"))["data"]
    assert data == {"a": "1", "c": "3"}


def test_apply_of_our_own_kinds(kubectl, ns):
    assert "created" in kubectl("-n", ns, "apply", "-f", "-", given=RUN)
    assert "unchanged" in kubectl("-n", ns, "apply", "-f", "-", given=RUN)
    relabelled = RUN.replace("vision", "speech")
    assert "configured" in kubectl("-n", ns, "apply", "-f", "-", given=relabelled)
    wrong = RUN.replace("gpu:", "gpus:")
    told = kubectl("-n", ns, "apply", "-f", "-", given=wrong.replace("digits", "x"), fails=True)
    assert "did you mean gpu?" in told


def test_a_kind_that_is_not_served_is_told_as_any_cluster_tells_it(kubectl, ns):
    deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {}}"
    told = kubectl("-n", ns, "apply", "-f", "-", given=deployment, fails=True)
    assert 'no matches for kind "Deployment" in version "apps/v1"' in told


def test_get_in_every_form(kubectl, ns):
    kubectl("-n", ns, "apply", "-f", "-", given=RUN)
    head, row = kubectl("-n", ns, "get", "runs").splitlines()
    assert head.split() == ["NAME", "PHASE", "GPU", "REPLICAS", "AGE"]
    assert row.split()[:4] == ["digits", "Queued", "1/2", "1"]
    assert "WHERE" in kubectl("-n", ns, "get", "runs", "-o", "wide")
    assert kubectl("-n", ns, "get", "runs", "-o", "name") == "run.shoal.dev/digits\n"
    assert "gpu: 1/2" in kubectl("-n", ns, "get", "run", "digits", "-o", "yaml")
    assert json.loads(kubectl("-n", ns, "get", "runs", "-o", "json"))["kind"] == "List"
    assert "digits" in kubectl("-n", ns, "get", "runs", "-l", "team=vision")
    assert kubectl("-n", ns, "get", "runs", "-l", "team=other") == ""
    assert "digits" in kubectl("-n", ns, "get", "all")
    assert "NotFound" in kubectl("-n", ns, "get", "run", "none", fails=True)


def test_get_with_watch_prints_rows_as_they_change(kubectl, api, ns):
    kubectl("-n", ns, "apply", "-f", "-", given=RUN)
    command = [
        kubectl.program,
        "--kubeconfig",
        api.home / "kubeconfig",
        "-n",
        ns,
        "get",
        "runs",
        "-w",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        try:
            rows = (line.split()[:2] for line in watching.stdout)
            assert list(itertools.islice(rows, 2)) == [["NAME", "PHASE"], ["digits", "Queued"]]
            path = f"/apis/shoal.dev/v1alpha1/namespaces/{ns}/runs/digits/status"
            assert api.patch(path, {"status": {"phase": "Running"}})[0] == 200
            assert next(rows) == ["digits", "Running"]
        finally:
            watching.kill()


def test_describe_shows_fields_and_events(kubectl, api, ns):
    kubectl("-n", ns, "apply", "-f", "-", given=RUN)
    made = api.get(f"/apis/shoal.dev/v1alpha1/namespaces/{ns}/runs/digits")
    about = {"kind": "Run", "namespace": ns, "name": "digits", "uid": made["metadata"]["uid"]}
    event = {"metadata": {"name": "digits.1"}, "involvedObject": about, "reason": "Waiting"}
    times = {"firstTimestamp": "2026-01-02T03:04:05Z", "lastTimestamp": "2026-01-02T03:04:05Z"}
    body = event | times | {"message": "no card is free", "type": "Normal"}
    api.create(f"/api/v1/namespaces/{ns}/events", body)
    told = kubectl("-n", ns, "describe", "run", "digits")
    assert "python train.py" in told
    assert "no card is free" in told


@pytest.mark.parametrize("kind", ["pod", "node", "resourceclaim", "namespace", "secret"])
def test_every_kind_can_be_described(kubectl, api, ns, kind):
    bodies = {
        "pod": ("pods", {"spec": {"containers": [{"name": "c", "image": "host"}]}}),
        "node": (None, {}),
        "resourceclaim": (None, {}),
        "namespace": (None, {}),
        "secret": ("secrets", {"stringData": {"k": "v"}}),
    }
    plural, body = bodies[kind]
    if plural:
        api.create(f"/api/v1/namespaces/{ns}/{plural}", {"metadata": {"name": "x"}, **body})
    elif kind == "node":
        api.call("POST", "/api/v1/nodes", {"metadata": {"name": "x"}})
    elif kind == "resourceclaim":
        path = f"/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims"
        api.create(path, {"metadata": {"name": "x"}, "spec": {}})
    name = ns if kind == "namespace" else "x"
    assert name in kubectl("-n", ns, "describe", kind, name)


def test_delete_waits_until_it_is_gone(kubectl, api, ns):
    kubectl("-n", ns, "apply", "-f", "-", given=RUN)
    assert "deleted" in kubectl("-n", ns, "delete", "run", "digits")
    assert api.get(f"/apis/shoal.dev/v1alpha1/namespaces/{ns}/runs")["items"] == []


def test_labels_and_patches(kubectl, api, ns):
    kubectl("-n", ns, "apply", "-f", "-", given=MAP)
    kubectl("-n", ns, "label", "cm", "settings", "team=a")
    kubectl("-n", ns, "annotate", "cm", "settings", "note=b")
    kubectl("-n", ns, "patch", "cm", "settings", "-p", '{"data": {"a": "9"}}')
    change = '[{"op": "remove", "path": "/data/b"}]'
    kubectl("-n", ns, "patch", "cm", "settings", "--type=json", "-p", change)
    kubectl("-n", ns, "patch", "cm", "settings", "--type=merge", "-p", '{"data": {"c": "3"}}')
    settings = api.get(f"/api/v1/namespaces/{ns}/configmaps/settings")
    assert settings["data"] == {"a": "9", "c": "3"}
    assert settings["metadata"]["labels"] == {"team": "a"}


def test_wait_for_a_condition(kubectl, api, ns):
    spec = {"containers": [{"name": "c", "image": "host"}]}
    api.create(f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "p"}, "spec": spec})
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    assert api.patch(f"/api/v1/namespaces/{ns}/pods/p/status", ready)[0] == 200
    assert "met" in kubectl("-n", ns, "wait", "pod/p", "--for=condition=Ready", "--timeout=20s")

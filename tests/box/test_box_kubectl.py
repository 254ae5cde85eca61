"""A stock kubectl sees what shoal sees, and can do what it does everywhere else."""

import json

from tests.box.harness import Box

RUN = """
apiVersion: shoal.dev/v1alpha1
kind: Run
metadata: {name: applied, labels: {team: vision}}
spec: {run: "echo applied", gpu: "1/4"}
"""

POD = """
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec:
  restartPolicy: Never
  initContainers:
  - {name: first, image: host, command: [sh, -c, "echo prepared"]}
  containers:
  - name: main
    image: host
    command: [sh, -c, "echo $GREETING from $NODE; cat settings/color"]
    env:
    - {name: GREETING, valueFrom: {configMapKeyRef: {name: settings, key: greeting}}}
    - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
    volumeMounts: [{name: settings, mountPath: settings}]
  volumes:
  - {name: settings, configMap: {name: settings}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {greeting: hello, color: blue}
"""


def test_a_run_applied_by_kubectl_runs(box: Box) -> None:
    (box.work / "run.yaml").write_text(RUN)
    assert "created" in box.kubectl("apply", "-f", str(box.work / "run.yaml"))
    box.wait_for("applied", "Succeeded")
    assert "unchanged" in box.kubectl("apply", "-f", str(box.work / "run.yaml"))
    assert box.kubectl("get", "runs", "-l", "team=vision", "-o", "name") == (
        "run.shoal.dev/applied\n"
    )
    assert box.kubectl("logs", "applied-0") == "applied\n"
    assert "Succeeded" in box.kubectl("describe", "run", "applied")


def test_kubectl_lists_the_same_objects(box: Box) -> None:
    box.ok("run", "-d", "--name", "one", "--gpu", "1/2", "--", "sleep", "600")
    box.wait_for("one", "Running")
    listed = box.kubectl("get", "runs,pods,nodes,resourceclaims,resourceslices")
    for name in ("run.shoal.dev/one", "pod/one-0", "resourceclaim.resource.k8s.io/one-0"):
        assert name in listed
    ours = json.loads(box.ok("ps", "-o", "json"))["items"]
    theirs = json.loads(box.kubectl("get", "runs", "-o", "json"))["items"]
    assert [r["metadata"]["uid"] for r in ours] == [r["metadata"]["uid"] for r in theirs]
    box.kubectl("delete", "run", "one")
    box.until(lambda: not box.objects("pods", "resourceclaims"), "what it made is gone too")


def test_a_plain_pod_runs_with_its_settings(box: Box) -> None:
    (box.work / "pod.yaml").write_text(POD)
    box.kubectl("apply", "-f", str(box.work / "pod.yaml"))
    box.kubectl("wait", "pod/plain", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
    node = box.objects("nodes")[0]["metadata"]["name"]
    assert box.kubectl("logs", "plain") == f"hello from {node}\nblue"
    assert box.kubectl("logs", "plain", "-c", "first") == "prepared\n"
    box.kubectl("delete", "-f", str(box.work / "pod.yaml"))

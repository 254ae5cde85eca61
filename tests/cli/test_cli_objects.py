"""Any object: listed, described, applied and deleted by the names that people use."""

import json

import pytest
import yaml

from shoal.api.kinds import CONFIG_MAPS, NODES, PODS, RUNS
from shoal.kube.errors import ApiError


def test_kinds_go_by_every_name_they_have(box) -> None:
    box.run("digits")
    for word in ("runs", "run", "Run", "runs.shoal.dev"):
        assert "digits" in box.shoal("get", word).out
    assert box.shoal("get", "run/digits", "-o", "name").out == "run.shoal.dev/digits\n"
    assert json.loads(box.shoal("get", "run", "digits", "-o", "json").out)["kind"] == "Run"


def test_a_listing_is_the_servers_table_as_tsv(box) -> None:
    box.run("digits", gpu="1/2")
    header, row = box.shoal("get", "runs").out.splitlines()
    assert header.split("\t")[:3] == ["NAME", "PHASE", "GPU"]
    assert row.split("\t")[0] == "digits"
    wide = box.shoal("get", "runs", "-o", "wide").out.splitlines()[0]
    assert len(wide.split("\t")) > len(header.split("\t"))


def test_several_kinds_are_listed_as_kubectl_lists_them(box) -> None:
    box.run("a")
    box.pod("a")
    runs, _, pods = box.shoal("get", "runs,pods").out.partition("\n\n")
    assert runs.splitlines()[1].split("\t")[0] == "run.shoal.dev/a"
    assert pods.splitlines()[1].split("\t")[0] == "pod/a-0"
    assert box.shoal("get", "po,run", "-o", "name").out == "pod/a-0\nrun.shoal.dev/a\n"


def test_a_pod_says_in_its_last_column_what_it_waits_for(box) -> None:
    box.run("a")
    box.pod("a")
    labels = {"shoal.dev/gang": "ring"}
    for name, metadata in (("big-0", {}), ("ring-0", {"labels": labels})):
        box.client.create(PODS, _pod({"name": name} | metadata), box.namespace)
    lines = [("big-0", "2 whole cards; 1 free"), ("ring", "needs 20 GiB")]
    box.scheduler.answers["/explain"] = {
        "items": [{"key": f"{box.namespace}/{key}", "owner": "o", "message": m} for key, m in lines]
    }
    head, *rows = (line.split("\t") for line in box.shoal("get", "pods").out.splitlines())
    assert head[-1] == "WAITS FOR"
    assert {row[0]: row[-1] for row in rows} == {
        "a-0": "", "big-0": "2 whole cards; 1 free", "ring-0": "needs 20 GiB",
    }  # fmt: skip


def _pod(metadata: dict) -> dict:
    container = {"name": "main", "image": "host", "command": ["sleep", "9"]}
    spec = {"containers": [container], "restartPolicy": "Never"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def test_an_object_is_written_as_people_read_it(box) -> None:
    box.run("a")
    box.status("a", phase="Queued")
    order = ["apiVersion", "kind", "metadata", "spec", "status"]
    assert list(yaml.safe_load(box.shoal("get", "run", "a", "-o", "yaml").out)) == order
    assert list(json.loads(box.shoal("get", "runs", "-o", "json").out)["items"][0]) == order


def test_selectors_choose(box) -> None:
    box.run("a")
    box.pod("a")
    assert "a-0" in box.shoal("get", "pods", "-l", "shoal.dev/run=a").out
    got = box.shoal("get", "pods", "-l", "shoal.dev/run=b")
    assert (got.out, got.err) == ("", f"no pods in namespace {box.namespace}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["get", "rnus"], "rnus is not a kind; did you mean runs?"),
        (["get", "xyzzy"], "xyzzy is not a kind; there are runs, "),
        (["get", "run/a", "b"], "b stands among KIND/NAME pairs; example: run/digits"),
        (["delete", "runs"], "which run? example: shoal delete run NAME"),
        (["describe", "run", "nope"], "there is no run nope"),
        (["delete", "run", "nope"], "there is no run nope. All runs: shoal ps"),
        (["get", "pod", "nope"], "there is no pod nope. All pods: shoal get pods"),
        (["get", "pod", "nope", "-o", "yaml"], "there is no pod nope. All pods: shoal get pods"),
        (
            ["describe", "resourceslice", "box2"],
            "there is no resourceslice box2; did you mean box1",
        ),
        (["delete", "run", ""], "'' is not the name of a run"),
        (["delete", "run", "../pods/a"], "'../pods/a' is not the name of a run"),
        (["ps", "-n", "shoal-systen"], "no namespace shoal-systen; did you mean shoal-system?"),
        (["get", "pods", "-n", "nosuch"], "there is no namespace nosuch. All namespaces: shoal"),
        (["why", "node/box1"], "a node waits for nothing; example: shoal why pod/digits-0"),
        (["why", "pod/nope"], "there is no pod nope"),
    ],
)
def test_what_is_wrong_is_told(box, arguments, sentence) -> None:
    got = box.shoal(*arguments)
    assert (got.code, got.out) == (2, "")
    assert sentence in got.err
    assert len(got.err.splitlines()) == 1


def test_apply_creates_then_changes_then_leaves_alone(box) -> None:
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
    first = json.dumps(document | {"data": {"a": "1"}})
    again = json.dumps(document | {"data": {"b": "2"}})
    assert box.shoal("apply", "-f", "-", stdin=first).out == "configmap/c created\n"
    assert box.shoal("apply", "-f", "-", stdin=again).out == "configmap/c configured\n"
    assert box.shoal("apply", "-f", "-", stdin=again).out == "configmap/c unchanged\n"
    body = box.client.request("GET", CONFIG_MAPS.path(box.namespace, "c"))
    assert json.loads(body)["data"] == {"a": "1", "b": "2"}


def test_apply_takes_run_files_with_their_code(box, tmp_path) -> None:
    (tmp_path / "train.py").write_text("")
    (tmp_path / "all.yaml").write_text(
        "kind: Run\nmetadata: {name: one}\nspec: {run: true, gpu: 0.5, code: .}\n---\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
    )
    got = box.shoal("apply", "-f", str(tmp_path / "all.yaml"))
    assert got.out == "run.shoal.dev/one created\nconfigmap/c created\n"
    spec = box.client.get(RUNS, "one", box.namespace).spec
    assert (spec.run, spec.gpu, spec.code[:7]) == ("true", "0.5", "sha256:")


def test_apply_reads_all_before_it_writes_any(box) -> None:
    text = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\n"
        "kind: Run\nmetadata: {name: x}\nspec:\n  run: true\n  gpus: 1\n"
    )
    got = box.shoal("apply", "-f", "-", stdin=text)
    assert got.code == 2
    assert "stdin line 9: spec.gpus is not a field; did you mean gpu?" in got.err
    with pytest.raises(ApiError):
        box.client.get(CONFIG_MAPS, "c", box.namespace)


def test_apply_tells_what_is_written_twice(box) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: x\n  a: y\n"
    got = box.shoal("apply", "-f", "-", stdin=text)
    assert (got.code, got.out) == (2, "")
    assert got.err == "shoal: stdin line 6: data.a is written twice; keep one\n"


def test_apply_tells_which_kinds_there_are(box) -> None:
    text = "\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}\n"
    got = box.shoal("apply", "-f", "-", stdin=text)
    assert (got.code, got.out) == (2, "")
    assert got.err.startswith(
        "shoal: stdin line 2: kind Deployment is not served here; there are Run, Gang, "
    )


def test_apply_tells_the_line_of_what_the_server_refuses(box) -> None:
    text = "kind: Run\nmetadata: {name: x}\nspec:\n  run: true\n  replicas: 0\n"
    got = box.shoal("apply", "-f", "-", stdin=text)
    assert got.code == 2
    assert got.err.startswith("shoal: stdin line 5: spec.replicas: got 0, takes 1 to 1000")


def test_what_get_writes_can_be_applied(box) -> None:
    box.run("a", gpu="1/2")
    written = box.shoal("get", "runs", "-o", "yaml").out
    assert yaml.safe_load(written)["kind"] == "List"
    assert box.shoal("apply", "-f", "-", stdin=written) == (0, "run.shoal.dev/a unchanged\n", "")


def test_delete_says_what_went(box) -> None:
    box.run("a")
    box.run("b")
    assert box.shoal("delete", "run", "a", "b").out == (
        "run.shoal.dev/a deleted\nrun.shoal.dev/b deleted\n"
    )
    assert box.client.list(RUNS, box.namespace).items == []


def test_a_run_is_described_with_all_that_is_known(box) -> None:
    box.run("digits", gpu="1/2", memory="4Gi", env={"TOKEN": "hush"}, limits={"time": "12h"})
    places = [{"rank": 0, "pod": "digits-0", "node": "box1", "cards": ["gpu-0"]}]
    failure = {"rank": 0, "pod": "digits-0", "exitCode": 7, "reason": "Error", "message": "m"}
    box.status(
        "digits",
        phase="Failed",
        message="replica 0 exited with 7",
        startedAt="2026-01-01T00:00:00Z",
        finishedAt="2026-01-01T00:00:58Z",
        replicas=places,
        failure=failure,
    )
    out = box.shoal("describe", "digits").out
    facts = dict(line.split(":", 1) for line in out.splitlines())
    facts = {name: value.strip() for name, value in facts.items()}
    assert facts["Cards"] == "1/2 card · memory limit not enforced yet"
    assert facts["Phase"] == "failed after 58s"
    assert facts["Because"] == "replica 0 exited with 7"
    assert facts["Replica 0"] == "box1 card 0 (A100-80GB, SIMULATED) · pod digits-0"
    assert facts["Failure"] == "m · Error · exit code 7"
    assert facts["Time limit"] == "12h an attempt"
    assert facts["Host"] == "4Gi memory"
    assert facts["Environment"] == "TOKEN"
    assert "hush" not in out


def _facts(out: str) -> dict[str, str]:
    pairs = (line.split(":", 1) for line in out.splitlines() if ": " in line)
    return {name: value.strip() for name, value in pairs}


def test_times_are_told_by_the_local_clock(box) -> None:
    box.run("digits")
    box.status("digits", phase="Running", startedAt="2026-01-01T09:05:00Z")
    out = box.shoal("describe", "digits", env={"TZ": "UTC-2"}).out
    assert _facts(out)["Started"] == "01 Jan 11:05"


def test_a_pod_is_described_in_words(box) -> None:
    box.run("digits")
    box.pod("digits")
    facts = _facts(box.shoal("describe", "pod/digits-0").out)
    assert facts["Run"] == "digits, replica 0"
    assert facts["Phase"].startswith("running for ")
    assert facts["Node"] == "box1"
    assert facts["Program main"].startswith("true · image host · running since 01 Jan ")


def test_a_claim_is_described_in_words(box) -> None:
    box.run("digits")
    box.pod("digits")
    facts = _facts(box.shoal("describe", "resourceclaim", "digits-0").out)
    assert facts["Run"] == "digits"
    assert facts["Asks for"] == "1 device of gpu.shoal.dev"
    assert facts["box1 card 0"] == "A100-80GB, SIMULATED · memory limit not enforced yet"


def test_a_node_is_described_with_its_cards_and_who_holds_them(box) -> None:
    conditions = [
        {"type": "Ready", "status": "True", "message": "the agent runs pods"},
        {"type": "ContainerRuntime", "status": "False", "message": "use image: host"},
    ]
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "box1"}}
    box.client.create(NODES, node)
    document = json.loads(box.client.request("GET", NODES.path(name="box1")))
    document["status"] = {"conditions": conditions}
    box.client.replace(NODES, document, subresource="status")
    holder = {"owner": "digits", "memoryMib": 40960, "milli": 500, "share": {"milli": 500}}
    card = {
        "node": "box1", "card": "gpu-0", "model": "A100-80GB", "memoryMib": 81920,
        "memoryFreeMib": 40960, "milliFree": 500, "simulated": True, "holders": [holder],
    }  # fmt: skip
    line = {
        "name": "box1", "cpuMilli": 8000, "cpuFreeMilli": 6000, "memoryMib": 65536,
        "memoryFreeMib": 32768, "cards": [card],
    }  # fmt: skip
    box.scheduler.answers["/board"] = {"nodes": [line]}
    out = box.shoal("describe", "node/box1").out
    box.client.delete(NODES, "box1")
    facts = _facts(out)
    assert facts["Ready"] == "yes · the agent runs pods"
    assert facts["Container runtime"] == "no · use image: host"
    assert facts["CPU"] == "8 · 2 held"
    assert facts["Memory"] == "64 GiB · 32 GiB held"
    assert facts["Cards"] == "1 · memory limit not enforced yet"
    assert out.splitlines()[-1].split() == ["0", "A100-80GB", "SIMULATED", "1/2", "digits", "1/2"]


def test_other_objects_are_described_as_they_are_nested(box) -> None:
    out = box.shoal("describe", "resourceslice", "box1").out
    assert "spec:\n  driver: gpu.shoal.dev\n" in out
    assert "managedFields" not in out

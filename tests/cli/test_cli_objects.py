"""Any object: listed, described, applied and deleted by the names that people use."""

import json

import pytest
import yaml

from shoal.api.kinds import CONFIG_MAPS, RUNS
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
        (["delete", "run", "nope"], 'runs.shoal.dev "nope" not found'),
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


def test_other_objects_are_described_as_they_are_nested(box) -> None:
    out = box.shoal("describe", "resourceslice", "box1").out
    assert "spec:\n  driver: gpu.shoal.dev\n" in out
    assert "managedFields" not in out

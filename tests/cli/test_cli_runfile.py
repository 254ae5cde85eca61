"""A run file is read as it is written, and a wrong one is told by its line."""

import pytest

from shoal.api.run import RetryCause
from shoal.cli.errors import BadInput
from shoal.cli.runfile import parse_run_file

WHOLE = """\
apiVersion: shoal.dev/v1alpha1
kind: Run
metadata: {name: resnet, labels: {team: vision}}
spec:
  queue: vision
  replicas: 4
  gpu: 1/2
  cpu: 8
  memory: 32Gi
  code: .
  run: true
  pack: true
  env: {SEED: 1, RATE: 0.10, HOME: null}
  limits: {time: 12h}
  retry: {max: 3, on: [node-lost]}
"""
GPUS = "line 7: spec.gpus is not a field; did you mean gpu? Example: gpu: A100:1/2"


def test_every_field_is_read_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    file = parse_run_file(WHOLE, "run.yaml")
    spec = file.spec
    assert (file.metadata.name, file.metadata.labels) == ("resnet", {"team": "vision"})
    assert (spec.queue, spec.replicas, spec.gpu, spec.cpu) == ("vision", 4, "1/2", "8")
    assert (spec.memory, spec.code, spec.pack) == ("32Gi", ".", True)
    assert (spec.limits.time, spec.retry.max) == ("12h", 3)
    assert spec.retry.on == [RetryCause.NODE_LOST]


def test_a_command_that_yaml_takes_for_something_else_stays_a_command() -> None:
    assert parse_run_file("spec: {run: true}", "f").spec.run == "true"
    assert parse_run_file("spec: {run: [sleep, 10]}", "f").spec.run == ["sleep", "10"]


def test_variables_are_texts_and_null_takes_the_callers_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    env = parse_run_file(WHOLE, "run.yaml").spec.env
    assert env == {"SEED": "1", "RATE": "0.10", "HOME": "/home/me"}


def test_an_amount_of_cards_may_be_a_number() -> None:
    assert parse_run_file("spec: {gpu: 0.5}", "f").spec.gpu == "0.5"
    assert parse_run_file("spec: {gpu: 2}", "f").spec.gpu == "2"


def test_what_get_writes_is_a_run_file() -> None:
    written = WHOLE.replace("metadata: {", "metadata: {uid: x, resourceVersion: '4', ").replace(
        "HOME: null", "A: b"
    )
    assert parse_run_file(written + "status: {phase: Failed}\n", "f").metadata.name == "resnet"


@pytest.mark.parametrize(
    ("was", "becomes", "sentence"),
    [
        ("gpu: 1/2", "gpus: 1/2", GPUS),
        ("gpu: 1/2", "gpu: 1.5", "line 7: spec.gpu: 1.5: a part of a card is at most 1"),
        ("gpu: 1/2", "gpu: [1]", "line 7: spec.gpu: takes a text, got a list; example: "),
        ("gpu: 1/2", "deadline: 2026-12-24", "line 7: spec.deadline is not supported yet"),
        ("replicas: 4", "replicas: 2..4", "line 6: spec.replicas: takes a whole number, got"),
        ("replicas: 4", "replicas: 1e3", "line 6: spec.replicas: takes a whole number, got '1e3'"),
        ("replicas: 4", "replicas: 1_0", "line 6: spec.replicas: takes a whole number, got '1_0'"),
        ("replicas: 4", "replicas: 010", "line 6: spec.replicas: takes a whole number, got '010'"),
        ("replicas: 4", "replicas: '4'", "line 6: spec.replicas: takes a whole number, got '4'"),
        ("{max: 3,", "{max: 3.0,", "line 15: spec.retry.max: takes a whole number, got '3.0'"),
        ("pack: true", "pack: 1", "line 12: spec.pack: takes true or false, got '1'"),
        ("pack: true", "pack: 'true'", "line 12: spec.pack: takes true or false, got 'true'"),
        ("run: true", "run: [1, 2]", "line 11: spec.run[0]: takes a text, got '1'; example: run"),
        ("run: true", "run: 0.5", "line 11: spec.run: takes a text, got '0.5'; example: run"),
        ("pack: true", "pack: perhaps", "line 12: spec.pack: takes true or false, got 'perhaps'"),
        ("{time: 12h}", "{tiem: 12h}", "line 14: spec.limits.tiem is not a field; did you mean"),
        ("{time: 12h}", "{time: soon}", "line 14: spec.limits.time: 'soon' is not a duration"),
        ("{time: 12h}", "{budget: 40}", "line 14: spec.limits.budget is not supported yet"),
        ("[node-lost]", "[ecc]", "spec.retry.on[0]: takes error, oom, node-lost, evicted, got"),
        ("  gpu: 1/2", "  run: x", "line 11: spec.run is written twice"),
        ("HOME: null", "NOT_SET_HERE: null", "line 13: spec.env.NOT_SET_HERE takes your own"),
        ("memory: 32Gi", "memory: lots", "line 9: spec.memory: 'lots' is not a quantity"),
        ("kind: Run", "kind: Pod", "Pod is no run; it takes apiVersion: shoal.dev/v1alpha1"),
        ("queue: vision", "queue vision", "this is no YAML"),
        ("spec:", "specs:", "line 4: specs is not a field; did you mean spec?"),
        ("{SEED: 1, RATE", "{SEED: [1], RATE", "line 13: spec.env.SEED: takes a text, got a list"),
        ("gpu: 1/2", "image: {python: 3}", "line 7: spec.image: building images is not supported"),
        ("cpu: 8", "cpu: {a: 1}", "line 8: spec.cpu: takes an amount, got named fields; example: "),
        ("replicas: 4", "replicas: [4]", "line 6: spec.replicas: takes a whole number, got a list"),
        ("gpu: 1/2", "gpu: ''", "line 7: spec.gpu is empty; leave it out, or: gpu: A100:1/2"),
        ("{time: 12h}", "{time: ''}", "line 14: spec.limits.time is empty; leave it out, or: "),
        ("kind: Run", "kind: Pod", "run.yaml line 2: shoal.dev/v1alpha1 Pod is no run"),
        ("queue: vision", "image: ''", "line 5: spec.image is empty; leave it out, or: "),
        ("name: resnet", "name: ''", "line 3: metadata.name is empty; leave it out, or: "),
        ("{team: vision}", "[a]", "line 3: metadata.labels: takes named fields, got a list"),
        ("pack: true", "metadata: 1", "line 12: spec.metadata is not a field; there are"),
        ("name: resnet", "nmae: resnet", "line 3: metadata.nmae is not a field; did you mean name"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_told_with_its_line_and_an_example(
    was: str, becomes: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOT_SET_HERE", raising=False)
    monkeypatch.setenv("HOME", "/")
    with pytest.raises(BadInput) as caught:
        parse_run_file(WHOLE.replace(was, becomes, 1), "run.yaml")
    assert str(caught.value).startswith("run.yaml")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "just words", "[1, 2]", "a: &x [*x]", "[" * 5000, "? {a: 1}\n: 2"]
)
def test_what_is_no_run_file_at_all_is_one_sentence(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_run_file(text, "run.yaml")
    assert "\n" not in str(caught.value)


def test_a_field_is_named_once() -> None:
    with pytest.raises(BadInput) as caught:
        parse_run_file("spec:\n  gpus: 1\n", "run.yaml")
    assert str(caught.value).count("spec.gpus") == 1


def test_a_second_document_is_told_with_what_takes_several() -> None:
    with pytest.raises(BadInput) as caught:
        parse_run_file("spec: {run: a}\n---\nspec: {run: b}\n", "all.yaml")
    assert str(caught.value) == (
        "all.yaml line 3: another document begins; a run file has one. "
        "All of them: shoal apply -f all.yaml"
    )
    assert parse_run_file("---\nspec: {run: a}\n---\n", "one.yaml").spec.run == "a"

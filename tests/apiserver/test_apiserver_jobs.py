"""Jobs as the server keeps them: defaults, the selector it makes, what may change."""

import pytest

CONTAINER = {"name": "c", "image": "host"}


@pytest.fixture
def jobs(ns):
    return f"/apis/batch/v1/namespaces/{ns}/jobs"


def job(**spec):
    template = {"spec": {"restartPolicy": "Never", "containers": [dict(CONTAINER)]}}
    return {"metadata": {"name": "j"}, "spec": {"template": template} | spec}


def causes_of(api, jobs, **spec):
    status, refusal = api.call("POST", jobs, job(**spec))
    assert status == 422, refusal
    return {(cause["field"], cause["reason"]) for cause in refusal["details"]["causes"]}


def patch(api, jobs, **spec):
    return api.patch(f"{jobs}/j", {"spec": spec})


def test_a_job_is_completed(api, jobs):
    made = api.create(jobs, job())
    spec = made["spec"]
    assert (spec["completions"], spec["parallelism"], spec["backoffLimit"]) == (1, 1, 6)
    assert (spec["completionMode"], spec["suspend"]) == ("NonIndexed", False)
    assert spec["podReplacementPolicy"] == "TerminatingOrFailed"
    assert spec["template"]["spec"]["dnsPolicy"] == "ClusterFirst"
    assert made["status"] == {}


def test_a_job_chooses_its_pods_by_its_uid(api, jobs):
    made = api.create(jobs, job())
    uid = made["metadata"]["uid"]
    labels = made["spec"]["template"]["metadata"]["labels"]
    assert made["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert labels == {
        "controller-uid": uid,
        "job-name": "j",
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": "j",
    }
    assert made["metadata"]["labels"] == labels


def test_a_job_may_choose_its_pods_itself(api, jobs):
    template = job()["spec"]["template"] | {"metadata": {"labels": {"app": "a"}}}
    chosen = {"matchLabels": {"app": "a"}}
    made = api.create(jobs, job(manualSelector=True, selector=chosen, template=template))
    assert made["spec"]["selector"] == chosen


def test_parallelism_alone_leaves_completions_open(api, jobs):
    assert "completions" not in api.create(jobs, job(parallelism=3))["spec"]


@pytest.mark.parametrize(
    ("spec", "field", "reason"),
    [
        ({"managedBy": "nobody"}, "spec.managedBy", "FieldValueInvalid"),
        ({"completionMode": "Odd"}, "spec.completionMode", "FieldValueNotSupported"),
        ({"backoffLimitPerIndex": 1}, "spec.backoffLimitPerIndex", "FieldValueInvalid"),
        ({"maxFailedIndexes": 1}, "spec.backoffLimitPerIndex", "FieldValueRequired"),
        ({"podReplacementPolicy": "Now"}, "spec.podReplacementPolicy", "FieldValueNotSupported"),
    ],
)
def test_a_wrong_job_is_told_by_field(api, jobs, spec, field, reason):
    assert (field, reason) in causes_of(api, jobs, **spec)


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ({"action": "Stop", "onExitCodes": {"operator": "In", "values": [1]}}, "action"),
        ({"action": "FailJob"}, ""),
        ({"action": "FailIndex", "onPodConditions": [{"type": "X"}]}, "action"),
        ({"action": "Count", "onPodConditions": [{}]}, "onPodConditions[0].type"),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": [0, 1]}},
            "onExitCodes.values[0]",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": [2, 1]}},
            "onExitCodes.values",
        ),
        (
            {
                "action": "Count",
                "onExitCodes": {"containerName": "x", "operator": "In", "values": [1]},
            },
            "onExitCodes.containerName",
        ),
    ],
)
def test_a_wrong_rule_of_the_failure_policy_is_told_by_field(api, jobs, rule, field):
    at = "spec.podFailurePolicy.rules[0]"
    told = {f for f, _ in causes_of(api, jobs, podFailurePolicy={"rules": [rule]})}
    assert (f"{at}.{field}" if field else at) in told


def test_a_failure_policy_replaces_only_failed_pods(api, jobs):
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    made = api.create(jobs, job(podFailurePolicy={"rules": [rule]}))
    assert made["spec"]["podReplacementPolicy"] == "Failed"


def test_an_indexed_job_grows_only_with_its_parallelism(api, jobs):
    api.create(jobs, job(completionMode="Indexed", completions=2, parallelism=2))
    status, refusal = patch(api, jobs, completions=3)
    assert (status, refusal["details"]["causes"][0]["field"]) == (422, "spec.completions")
    assert patch(api, jobs, completions=3, parallelism=3)[0] == 200


def test_a_template_is_fixed_once_the_job_runs(api, jobs):
    api.create(jobs, job())
    template = {"spec": {"nodeSelector": {"zone": "a"}}}
    status, refusal = patch(api, jobs, template=template)
    assert (status, refusal["details"]["causes"][0]["field"]) == (422, "spec.template.spec")


def test_deleting_a_job_without_a_policy_orphans_its_pods_and_says_so(api, jobs):
    api.create(jobs, job(suspend=True))
    _, headers, _ = api.send("DELETE", f"{jobs}/j")
    assert "child pods are preserved" in headers["Warning"]
    assert api.get(f"{jobs}/j")["metadata"]["finalizers"] == ["orphan"]

"""The official Python client: typed for what Kubernetes has, dynamic for what it has not."""

import time

import pytest
from kubernetes import client, config, dynamic, watch
from tests.clients.conftest import job, pod
from tests.serving import NODE

BOUND_S = 60


@pytest.fixture
def connection(kubeconfig):
    with config.new_client_from_config(str(kubeconfig)) as connection:
        yield connection


@pytest.fixture
def core(connection, namespace):
    core = client.CoreV1Api(connection)
    core.create_namespace({"metadata": {"name": namespace}})
    _until(lambda: core.list_namespaced_service_account(namespace).items)
    yield core
    core.delete_namespace(namespace)


def test_pods_are_listed_watched_and_patched(core, namespace):
    core.create_namespaced_pod(namespace, pod("p", run="echo done"))
    (listed,) = core.list_namespaced_pod(namespace).items
    assert listed.status.phase == "Pending"
    body = {"metadata": {"labels": {"team": "a"}}}
    assert core.patch_namespaced_pod("p", namespace, body).metadata.labels == {"team": "a"}
    assert core.list_namespaced_pod(namespace, label_selector="team=b").items == []

    target = client.V1ObjectReference(api_version="v1", kind="Node", name=NODE)
    binding = client.V1Binding(metadata=client.V1ObjectMeta(name="p"), target=target)
    core.create_namespaced_binding(namespace, binding, _preload_content=False)
    follow = watch.Watch().stream(
        core.list_namespaced_pod,
        namespace,
        field_selector="metadata.name=p",
        timeout_seconds=BOUND_S,
    )
    phases = []
    for event in follow:
        phases.append(event["object"].status.phase)
        if phases[-1] == "Succeeded":
            break
    assert phases[0] == "Pending"
    assert phases[-1] == "Succeeded"
    assert core.read_namespaced_pod_log("p", namespace) == "done\n"


def test_jobs_are_listed_watched_and_patched(connection, core, namespace):
    batch = client.BatchV1Api(connection)
    made = batch.create_namespaced_job(namespace, job("j"))
    assert made.spec.backoff_limit == 6
    follow = watch.Watch().stream(
        batch.list_namespaced_job, namespace, timeout_seconds=BOUND_S, resource_version="0"
    )
    for event in follow:
        if event["object"].status.active == 1:
            break
    suspended = batch.patch_namespaced_job("j", namespace, {"spec": {"suspend": True}})
    assert suspended.spec.suspend is True
    _until(lambda: not core.list_namespaced_pod(namespace).items)
    (listed,) = batch.list_namespaced_job(namespace).items
    assert listed.metadata.name == "j"


def test_a_kind_that_a_user_defined_is_listed_watched_and_patched(
    connection, core, namespace, widgets
):
    definitions = client.ApiextensionsV1Api(connection)
    definitions.create_custom_resource_definition(widgets)
    spec = widgets["spec"]
    try:
        _until(lambda: _established(definitions, widgets))
        kinds = dynamic.DynamicClient(connection)
        kind = kinds.resources.get(api_version=f"{spec['group']}/v1", kind="Widget")
        body = {"apiVersion": kind.group_version, "kind": "Widget", "metadata": {"name": "w"}}
        made = kind.create(body | {"spec": {}}, namespace=namespace)
        assert made.spec.size == 1
        change = {"spec": {"size": 3}}
        merge = "application/merge-patch+json"
        kind.patch(change, "w", namespace, content_type=merge)
        (listed,) = kind.get(namespace=namespace).items
        assert listed.spec.size == 3
        events = kind.watch(namespace=namespace, timeout=BOUND_S)
        event = next(events)
        assert (event["type"], event["object"].spec.size) == ("ADDED", 3)
    finally:
        definitions.delete_custom_resource_definition(widgets["metadata"]["name"])


def test_runs_are_listed_and_patched_as_a_custom_kind(connection, core, namespace):
    custom = client.CustomObjectsApi(connection)
    place = ("shoal.dev", "v1alpha1", namespace, "runs")
    meta = {"apiVersion": "shoal.dev/v1alpha1", "kind": "Run", "metadata": {"name": "digits"}}
    custom.create_namespaced_custom_object(*place, meta | {"spec": {"run": "true"}})
    change = {"metadata": {"labels": {"team": "a"}}}
    custom.patch_namespaced_custom_object(*place, "digits", change)
    (listed,) = custom.list_namespaced_custom_object(*place)["items"]
    assert listed["metadata"]["labels"] == {"team": "a"}


def test_a_refusal_arrives_as_the_error_it_is(core, namespace):
    with pytest.raises(client.ApiException) as refused:
        core.read_namespaced_pod("none", namespace)
    assert (refused.value.status, refused.value.reason) == (404, "Not Found")


def _established(definitions, widgets):
    found = definitions.read_custom_resource_definition(widgets["metadata"]["name"])
    conditions = found.status.conditions or []
    return any(one.type == "Established" and one.status == "True" for one in conditions)


def _until(true):
    deadline = time.monotonic() + BOUND_S
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)

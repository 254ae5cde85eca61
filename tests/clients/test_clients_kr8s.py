"""kr8s, which learns what there is from discovery alone."""

import asyncio

import kr8s.asyncio
import pytest
from kr8s.asyncio.objects import CustomResourceDefinition, Job, Namespace, Pod, new_class
from tests.clients.conftest import job, pod

BOUND_S = 60


@pytest.fixture
async def api(kubeconfig, namespace):
    api = await kr8s.asyncio.api(kubeconfig=str(kubeconfig))
    api.namespace = namespace
    made = await Namespace({"metadata": {"name": namespace}}, api=api)
    await made.create()
    for _ in range(50 * BOUND_S):
        if [one async for one in api.get("serviceaccounts", namespace=namespace)]:
            break
        await asyncio.sleep(0.02)
    yield api
    await made.delete()


async def test_pods_are_listed_watched_and_patched(api, namespace):
    made = await Pod(pod("p"), namespace=namespace, api=api)
    await made.create()
    assert [one.name async for one in api.get("pods", namespace=namespace)] == ["p"]
    async with asyncio.timeout(BOUND_S):
        await made.label({"team": "a"})
        async for kind, found in api.watch("pods", namespace=namespace):
            if kind == "ADDED":
                assert found.labels == {"team": "a"}
                await made.patch({"metadata": {"labels": {"team": "b"}}})
            elif found.labels == {"team": "b"}:
                break
    assert [
        one async for one in api.get("pods", namespace=namespace, label_selector="team=a")
    ] == []


async def test_jobs_are_listed_and_patched(api, namespace):
    made = await Job(job("j"), namespace=namespace, api=api)
    await made.create()
    await made.patch({"spec": {"suspend": True}})
    (listed,) = [one async for one in api.get("jobs", namespace=namespace)]
    assert listed.spec.suspend is True


async def test_a_kind_that_a_user_defined_is_listed_watched_and_patched(api, namespace, widgets):
    definition = await CustomResourceDefinition(widgets, api=api)
    await definition.create()
    try:
        await definition.wait("condition=Established", timeout=BOUND_S)
        version = f"{widgets['spec']['group']}/v1"
        kind = new_class("Widget", version=version, namespaced=True, plural="widgets")
        kind = type(kind.__name__, (kind,), {"_asyncio": True})
        made = await kind({"metadata": {"name": "w"}, "spec": {}}, namespace=namespace, api=api)
        await made.create()
        assert made.raw["spec"] == {"size": 1}
        await made.patch({"spec": {"size": 3}})
        plural = f"widgets.{widgets['spec']['group']}"
        (listed,) = [one async for one in api.get(plural, namespace=namespace)]
        assert listed.raw["spec"] == {"size": 3}
        async with asyncio.timeout(BOUND_S):
            async for event, found in api.watch(plural, namespace=namespace):
                assert (event, found.raw["spec"]) == ("ADDED", {"size": 3})
                break
    finally:
        await definition.delete()


async def test_a_refusal_arrives_as_the_error_it_is(api, namespace):
    with pytest.raises(kr8s.NotFoundError):
        await Pod.get("none", namespace=namespace, api=api)

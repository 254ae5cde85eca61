import uuid

import pytest
from tests.serving import cluster


@pytest.fixture(scope="session")
def kubeconfig(tmp_path_factory):
    """A cluster whose node runs pods, as clients reach it."""
    with cluster(tmp_path_factory.mktemp("clients") / "home") as path:
        yield path


@pytest.fixture
def namespace():
    return f"ns-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def widgets():
    """A definition of a kind that nobody else has."""
    group = f"{uuid.uuid4().hex[:8]}.example.test"
    schema = {"type": "object", "properties": {"size": {"type": "integer", "default": 1}}}
    whole = {"type": "object", "properties": {"spec": schema}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": whole},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [version],
        },
    }


def pod(name, run="sleep 60"):
    """A pod that waits for a node, as a document."""
    container = {"name": "main", "image": "host", "command": ["/bin/sh", "-c", run]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }


def job(name):
    """A job whose pods no node gets."""
    template = {"spec": pod(name)["spec"]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"parallelism": 1, "template": template},
    }

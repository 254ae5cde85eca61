"""OpenAPI documents and what kubectl makes of them."""

import json

import pytest

DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cats.zoo.test}
spec:
  group: zoo.test
  scope: Namespaced
  names: {plural: cats, singular: cat, kind: Cat}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              tail: {type: integer, description: How long it is.}
"""
GROUPS = ["api/v1", "apis/batch/v1", "apis/resource.k8s.io/v1", "apis/shoal.dev/v1alpha1"]


def references(value):
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inside in value.values():
            yield from references(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from references(inside)


def urls(api):
    return {path: one["serverRelativeURL"] for path, one in api.get("/openapi/v3")["paths"].items()}


def test_every_served_group_has_a_document_and_every_reference_leads_somewhere(api):
    served = api.get("/apis")["groups"]
    groups = {version["groupVersion"] for group in served for version in group["versions"]}
    found = urls(api)
    assert found.keys() == {"api/v1", *(f"apis/{group}" for group in groups)}
    for url in found.values():
        document = api.get(url)
        known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
        assert set(references(document)) <= known


@pytest.mark.parametrize("path", GROUPS)
def test_writes_say_that_they_validate_fields(api, path):
    paths = api.get(f"/openapi/v3/{path}")["paths"]
    verbs = ("post", "put", "patch")
    writes = [one[verb] for one in paths.values() for verb in verbs if verb in one]
    assert writes
    for write in writes:
        assert "fieldValidation" in {parameter["name"] for parameter in write["parameters"]}


def test_documents_tell_how_lists_are_merged(api):
    schemas = api.get("/openapi/v3/api/v1")["components"]["schemas"]
    containers = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]
    assert containers["x-kubernetes-patch-merge-key"] == "name"
    assert containers["x-kubernetes-list-map-keys"] == ["name"]
    limits = schemas["io.k8s.api.core.v1.ResourceRequirements"]["properties"]["limits"]
    quantity = "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"
    assert limits["additionalProperties"] == {"$ref": quantity}


def test_who_has_a_document_already_is_told_so(api):
    for url in ("/openapi/v3", urls(api)["apis/batch/v1"]):
        status, headers, body = api.send("GET", url)
        assert (status, bool(body)) == (200, True)
        tag = {"If-None-Match": headers["ETag"]}
        assert api.send("GET", url, headers=tag)[0::2] == (304, b"")
        assert api.send("GET", url, headers={"If-None-Match": '"other"'})[0] == 200


def test_a_document_of_a_known_hash_may_be_kept_for_good(api):
    url = urls(api)["apis/batch/v1"]
    assert "immutable" in api.send("GET", url)[1]["Cache-Control"]
    assert "no-cache" in api.send("GET", url.partition("?")[0])[1]["Cache-Control"]
    assert "no-cache" in api.send("GET", f"{url}0")[1]["Cache-Control"]


def test_explain_finds_fields_of_kubernetes_kinds(kubectl):
    assert "FIELD: image <string>" in kubectl("explain", "pod.spec.containers.image")
    assert "limits\t<map[string]Quantity>" in kubectl("explain", "pod.spec.containers.resources")
    assert "backoffLimit" in kubectl("explain", "job.spec")
    assert "does not exist" in kubectl("explain", "pod.spec.nonsense", fails=True)


def test_explain_says_what_a_kind_is(kubectl):
    told = kubectl("explain", "pods")
    assert "run together on one node" in told
    assert "no description" not in told


def test_explain_finds_fields_of_our_kinds_with_their_words(kubectl):
    told = kubectl("explain", "run.spec", "--recursive")
    assert "replicas\t<integer>" in told
    assert "time\t<string>" in told
    assert "copies run side by side" in kubectl("explain", "run.spec.replicas")


def test_a_new_definition_is_in_the_documents_at_once(kubectl, api):
    def index():
        _, headers, body = api.send("GET", "/openapi/v3")
        return headers["ETag"], json.loads(body)["paths"]

    tag, paths = index()
    assert "apis/zoo.test/v1" not in paths
    kubectl("apply", "-f", "-", given=DEFINITION)
    kubectl("wait", "crd/cats.zoo.test", "--for=condition=Established")
    assert "how long" in kubectl("explain", "cat.spec.tail").lower()
    after, paths = index()
    assert after != tag
    assert "apis/zoo.test/v1" in paths
    kubectl("delete", "crd", "cats.zoo.test")
    assert "apis/zoo.test/v1" not in index()[1]


def test_apply_needs_no_older_document(api):
    status, headers, body = api.send("GET", "/openapi/v2")
    assert (status, "proto-openapi" in headers["Content-Type"]) == (200, True)
    assert b"shoal" in body


def test_a_group_that_is_not_served_has_no_document(api):
    assert api.send("GET", "/openapi/v3/apis/nope.test/v1")[0] == 404
    assert json.loads(api.send("GET", "/openapi/v3")[2]).keys() == {"paths"}

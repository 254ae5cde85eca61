"""Bodies in protobuf, as kubectl and Go clients send them."""

import base64

PROTOBUF = "application/vnd.kubernetes.protobuf"


def test_kubectl_creates_in_protobuf(kubectl, api, ns):
    kubectl("-n", ns, "create", "configmap", "settings", "--from-literal", "a=1")
    kubectl("-n", ns, "create", "secret", "generic", "key", "--from-literal", "k=v")
    kubectl("-n", ns, "create", "job", "work", "--image", "host", "--", "true")
    assert api.get(f"/api/v1/namespaces/{ns}/configmaps/settings")["data"] == {"a": "1"}
    secret = api.get(f"/api/v1/namespaces/{ns}/secrets/key")
    assert base64.b64decode(secret["data"]["k"]) == b"v"
    job = api.get(f"/apis/batch/v1/namespaces/{ns}/jobs/work")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["true"]


def test_our_own_kinds_are_not_sent_in_protobuf(api, ns):
    run = b"k8s\0\x0a\x19\x0a\x12shoal.dev/v1alpha1\x12\x03Run"
    path = f"/apis/shoal.dev/v1alpha1/namespaces/{ns}/runs"
    status, refusal = api.call("POST", path, raw=run, headers={"Content-Type": PROTOBUF})
    assert (status, refusal["reason"]) == (415, "UnsupportedMediaType")


def test_options_binding_and_eviction_are_read_in_protobuf(api, ns):
    pods = f"/api/v1/namespaces/{ns}/pods"
    spec = {"containers": [{"name": "c", "image": "host"}]}
    api.create(pods, {"metadata": {"name": "p"}, "spec": spec})

    def send(method, path, kind, raw, version=b"v1"):
        about = part(1, version) + part(2, kind)
        body = b"k8s\0" + part(1, about) + part(2, raw)
        return api.call(method, path, raw=body, headers={"Content-Type": PROTOBUF})

    node = part(2, part(1, b"Node") + part(3, b"n1"))
    bound, _ = send("POST", f"{pods}/p/binding", b"Binding", part(1, part(1, b"p")) + node)
    assert bound == 201
    assert api.get(f"{pods}/p")["spec"]["nodeName"] == "n1"
    other_uid = part(2, part(1, b"another"))
    status, refusal = send("DELETE", f"{pods}/p", b"DeleteOptions", other_uid)
    assert (status, refusal["reason"]) == (409, "Conflict")
    evicted, _ = send(
        "POST", f"{pods}/p/eviction", b"Eviction", part(1, part(1, b"p")), b"policy/v1"
    )
    assert evicted == 201
    assert api.get(f"{pods}/p")["metadata"]["deletionTimestamp"]
    now = b"\x08\x00"
    assert send("DELETE", f"{pods}/p", b"DeleteOptions", now)[0] == 200
    assert api.call("GET", f"{pods}/p")[0] == 404


def part(number, data):
    """A field of bytes on the wire, below 128 of them."""
    return bytes([number << 3 | 2, len(data)]) + data

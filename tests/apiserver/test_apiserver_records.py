"""Services and volumes: kinds that are kept as records."""

import ipaddress

import pytest
from tests.apiserver.conftest import TABLE


@pytest.fixture
def services(ns):
    return f"/api/v1/namespaces/{ns}/services"


@pytest.fixture
def claims(ns):
    return f"/api/v1/namespaces/{ns}/persistentvolumeclaims"


def service(name="s", **spec):
    return {"metadata": {"name": name}, "spec": {"ports": [{"port": 80}]} | spec}


def claim(**spec):
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": {"name": "v"}, "spec": asked | spec}


def volume(name, **spec):
    whole = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/nowhere"},
    }
    return {"metadata": {"name": name}, "spec": whole | spec}


def causes_of(answer):
    status, refusal = answer
    assert status == 422, refusal
    return {(cause["field"], cause["reason"]) for cause in refusal["details"]["causes"]}


def cells_of(api, path):
    return api.get(path, headers={"Accept": TABLE})["rows"][0]["cells"]


def test_a_service_gets_an_address_that_no_other_has(api, services):
    made = [api.create(services, service(f"s{number}"))["spec"] for number in range(20)]
    assert len({spec["clusterIP"] for spec in made}) == 20
    address = ipaddress.ip_address(made[0]["clusterIP"])
    assert address in ipaddress.ip_network("10.96.0.0/12")
    assert made[0]["clusterIPs"] == [made[0]["clusterIP"]]


def test_a_service_keeps_its_address(api, services):
    address = api.create(services, service())["spec"]["clusterIP"]
    again = service(ports=[{"port": 81}])
    assert api.call("PUT", f"{services}/s", again)[1]["spec"]["clusterIP"] == address
    moved = api.patch(f"{services}/s", {"spec": {"clusterIP": "10.96.0.1"}})
    assert causes_of(moved) == {("spec.clusterIPs[0]", "FieldValueInvalid")}


def test_a_service_says_that_its_address_leads_nowhere(api, services):
    _, headers, _ = api.send("POST", services, service(clusterIP="None"))
    assert "no address of a service leads to its pods" in headers["Warning"]


def test_the_row_of_a_service(api, services):
    api.create(services, service(clusterIP="None", selector={"app": "a"}))
    row = cells_of(api, f"{services}/s")
    assert row[:5] == ["s", "ClusterIP", "None", "<none>", "80/TCP"]
    assert row[6] == "app=a"


@pytest.mark.parametrize(
    ("spec", "cause"),
    [
        ({"ports": []}, ("spec.ports", "FieldValueRequired")),
        ({"type": "Magic"}, ("spec.type", "FieldValueNotSupported")),
        ({"type": "ExternalName"}, ("spec.externalName", "FieldValueRequired")),
        ({"clusterIP": "here"}, ("spec.clusterIPs[0]", "FieldValueInvalid")),
        ({"ports": [{"port": 0}]}, ("spec.ports[0].port", "FieldValueInvalid")),
        ({"ports": [{"port": 1}, {"port": 2}]}, ("spec.ports[1].name", "FieldValueRequired")),
        (
            {"ports": [{"name": "a", "port": 1}, {"name": "b", "port": 1}]},
            ("spec.ports[1]", "FieldValueDuplicate"),
        ),
        (
            {"ports": [{"port": 1, "protocol": "PIGEON"}]},
            ("spec.ports[0].protocol", "FieldValueNotSupported"),
        ),
    ],
)
def test_a_wrong_service_is_told_by_field(api, services, spec, cause):
    assert cause in causes_of(api.call("POST", services, service(**spec)))


def test_a_claim_waits_and_says_so(api, claims):
    _, headers, _ = api.send("POST", claims, claim())
    assert "stays Pending" in headers["Warning"]
    assert cells_of(api, f"{claims}/v")[1] == "Pending"


def test_of_a_claim_only_the_size_may_change(api, claims):
    api.create(claims, claim())
    grown = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
    assert api.patch(f"{claims}/v", grown)[0] == 200
    other = api.patch(f"{claims}/v", {"spec": {"accessModes": ["ReadWriteMany"]}})
    assert causes_of(other) == {("spec", "FieldValueForbidden")}


@pytest.mark.parametrize(
    ("spec", "cause"),
    [
        ({"accessModes": []}, ("spec.accessModes", "FieldValueRequired")),
        ({"accessModes": ["Any"]}, ("spec.accessModes", "FieldValueNotSupported")),
        ({"resources": {}}, ("spec.resources[storage]", "FieldValueRequired")),
    ],
)
def test_a_wrong_claim_is_told_by_field(api, claims, spec, cause):
    assert cause in causes_of(api.call("POST", claims, claim(**spec)))


def test_a_volume_has_one_source(api, ns):
    body = volume(ns, nfs={"server": "s", "path": "/"})
    answer = api.call("POST", "/api/v1/persistentvolumes", body)
    assert causes_of(answer) == {("spec.nfs", "FieldValueForbidden")}


def test_a_volume_is_protected_and_goes_all_the_same_while_nobody_uses_it(api, ns):
    path = f"/api/v1/persistentvolumes/{ns}"
    made = api.create("/api/v1/persistentvolumes", volume(ns))
    assert made["metadata"]["finalizers"] == ["kubernetes.io/pv-protection"]
    assert api.call("DELETE", path)[0] == 200
    assert api.call("GET", path)[0] == 404


def test_a_bound_volume_stays_until_it_is_let_go(api, ns):
    path = f"/api/v1/persistentvolumes/{ns}"
    api.create("/api/v1/persistentvolumes", volume(ns))
    api.patch(f"{path}/status", {"status": {"phase": "Bound"}})
    api.call("DELETE", path)
    assert api.get(path)["metadata"]["deletionTimestamp"]
    assert api.patch(path, {"metadata": {"finalizers": None}})[0] == 200
    assert api.call("GET", path)[0] == 404

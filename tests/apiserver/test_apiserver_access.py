"""Who may ask, what is served, and how much of it at once."""

import socket
import ssl
import stat
import subprocess
from pathlib import Path

import pytest
from tests.serving import BOUND_S, server_command, server_environment

PODS = "/api/v1/namespaces/default/pods"


@pytest.mark.parametrize("header", [{"Authorization": ""}, {"Authorization": "Bearer wrong"}])
def test_without_the_token_nothing_is_told(api, header):
    status, refusal = api.call("GET", PODS, headers=header)
    assert (status, refusal["reason"]) == (401, "Unauthorized")


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/version"])
def test_health_and_version_are_open(api, path):
    assert api.send("GET", path, headers={"Authorization": ""})[0] == 200


def test_the_home_is_for_its_owner_alone(running):
    home = running.home
    for path in (home, home / "tls"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    secrets = ["token", "kubeconfig", "store.db", "tls/ca.key", "tls/server.key"]
    assert {stat.S_IMODE((home / name).stat().st_mode) for name in secrets} == {0o600}


def test_the_server_listens_on_loopback_alone(api):
    table = Path("/proc/net/tcp").read_text().splitlines()[1:]
    local = {line.split()[1] for line in table if line.split()[3] == "0A"}
    assert [a for a in local if a.endswith(f":{api.port:04X}")] == [f"0100007F:{api.port:04X}"]


def test_plain_http_and_other_authorities_get_nowhere(api):
    with socket.create_connection(("127.0.0.1", api.port)) as plain:
        plain.sendall(b"GET /version HTTP/1.1\r\n\r\n")
        assert b"200" not in plain.recv(100)
    with pytest.raises(ssl.SSLCertVerificationError):
        stranger = ssl.create_default_context()
        with socket.create_connection(("127.0.0.1", api.port)) as raw:
            stranger.wrap_socket(raw, server_hostname="127.0.0.1")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/namespaces/default/things", 404),
        ("PUT", PODS, 405),
        ("DELETE", "/api/v1/namespaces", 405),
        ("POST", f"{PODS}/p/log", 405),
    ],
)
def test_what_is_not_served_is_a_status(api, method, path, status):
    answer, refusal = api.call(method, path)
    assert (answer, refusal["kind"], refusal["code"]) == (status, "Status", status)


def test_bodies_are_bounded(api):
    raw = b'{"x":"' + b"x" * (3 * 1024 * 1024) + b'"}'
    status, refusal = api.call("POST", PODS, raw=raw)
    assert (status, refusal["reason"]) == (413, "RequestEntityTooLarge")


def test_heads_are_bounded(api):
    with (
        socket.create_connection(("127.0.0.1", api.port)) as raw,
        api.trust.wrap_socket(raw, server_hostname="127.0.0.1") as secure,
    ):
        secure.sendall(b"GET /version HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 200_000)
        assert secure.recv(100).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize(
    ("kind", "raw", "status"),
    [
        ("application/vnd.kubernetes.protobuf", b"k8s\0", 415),
        ("application/vnd.kubernetes.protobuf", b"k8s", 400),
        ("text/plain", b"{}", 415),
        ("application/json", b'{"metadata":', 400),
        ("application/json", b"[" * 100_000, 400),
        ("application/json", b"[]", 400),
        ("application/yaml", b"a: &x [1]\nb: *x\n", 400),
        ("application/yaml", b"a: [", 400),
    ],
)
def test_bodies_that_cannot_be_read_are_refused_in_a_sentence(api, kind, raw, status):
    answer, refusal = api.call("POST", PODS, raw=raw, headers={"Content-Type": kind})
    assert (answer, refusal["kind"]) == (status, "Status")


def test_yaml_means_what_the_same_json_means(api, ns):
    text = b"metadata:\n  name: y\ndata:\n  date: 2026-01-01\n  empty:\n"
    path = f"/api/v1/namespaces/{ns}/configmaps"
    status, made = api.call("POST", path, raw=text, headers={"Content-Type": "application/yaml"})
    assert (status, made["data"]) == (201, {"date": "2026-01-01", "empty": ""})


def start(home, port):
    return subprocess.run(
        server_command(port),
        env=server_environment(home),
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        check=False,
    )


def test_a_taken_port_is_one_sentence(api, tmp_path):
    done = start(tmp_path / "other", api.port)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"port {api.port} is taken" in done.stderr
    assert not (tmp_path / "other").exists()


def test_a_home_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    done = start(tmp_path / "file" / "home", 0)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "cannot be written" in done.stderr

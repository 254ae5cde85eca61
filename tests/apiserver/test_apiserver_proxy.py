"""Logs and services through the unix sockets of the home."""

import http.server
import itertools
import json
import os
import socketserver
import threading

import pytest


class Handler(http.server.BaseHTTPRequestHandler):
    """Stands for an agent or a component: tells what it was asked."""

    protocol_version = "HTTP/1.1"
    released: threading.Event

    def do_GET(self):
        if "refuse-" in self.path:
            status = self.path[-3:]
            self.send_response(int(status))
            self.end_headers_for(f"refused with {status}".encode())
        elif "refuse" in self.path:
            self.send_response(400)
            self.end_headers_for(b"no such container")
        elif "follow=true" in self.path:
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.chunk(b"first\n")
            self.server.released.wait(30)
            self.chunk(b"second\n")
            self.chunk(b"")
        else:
            self.send_response(200)
            self.end_headers_for(f"asked {self.path}\n".encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers_for(body, self.headers["Content-Type"])

    def end_headers_for(self, body, kind="text/plain"):
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def chunk(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def address_string(self):
        return "socket"

    def log_message(self, *_):
        pass


class SocketServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


@pytest.fixture
def serve(running):
    """Serve the handler on a socket of the home; undone at the end."""
    folder = running.home / "sock"
    folder.mkdir(exist_ok=True)
    servers = []

    def on(name):
        handle = os.open(folder, os.O_RDONLY)
        server = SocketServer(f"/proc/self/fd/{handle}/{name}", Handler)
        os.close(handle)
        server.released = threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append((server, folder / name))
        return server

    yield on
    for server, path in servers:
        server.released.set()
        server.shutdown()
        server.server_close()
        path.unlink()


_nodes = (f"box{n}" for n in itertools.count())


@pytest.fixture
def bound(api, ns):
    """A pod with two containers, bound to a node of its own: (path, node)."""
    node = next(_nodes)
    containers = [{"name": "main", "image": "host"}, {"name": "side", "image": "host"}]
    spec = {"containers": containers, "nodeName": node}
    api.create(f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "p"}, "spec": spec})
    return f"/api/v1/namespaces/{ns}/pods/p", node


def test_a_log_comes_from_the_agent_of_the_node(api, bound, ns, serve):
    path, node = bound
    serve(f"node-{node}.sock")
    status, headers, body = api.send("GET", f"{path}/log", container="side", tailLines="5", odd="x")
    assert (status, headers["Content-Type"]) == (200, "text/plain")
    assert body.decode() == f"asked /logs/{ns}/p/side?tailLines=5\n"


def test_a_followed_log_comes_as_it_is_written(api, bound, serve):
    path, node = bound
    agent = serve(f"node-{node}.sock")
    connection = api.connect()
    headers = {"Authorization": f"Bearer {api.token}"}
    connection.request("GET", f"{path}/log?container=main&follow=true", headers=headers)
    response = connection.getresponse()
    assert response.readline() == b"first\n"
    agent.released.set()
    assert response.readline() == b"second\n"
    assert response.read() == b""
    connection.close()


def test_of_several_containers_one_must_be_named_and_be_there(api, bound):
    path, _ = bound
    status, refusal = api.call("GET", f"{path}/log")
    assert (status, "main, side" in refusal["message"]) == (400, True)
    assert api.call("GET", f"{path}/log", container="none")[0] == 400


def test_an_unbound_pod_has_no_log_yet(api, ns):
    spec = {"containers": [{"name": "main", "image": "host"}]}
    api.create(f"/api/v1/namespaces/{ns}/pods", {"metadata": {"name": "p"}, "spec": spec})
    assert api.send("GET", f"/api/v1/namespaces/{ns}/pods/p/log")[::2] == (204, b"")


def test_a_node_without_an_agent_is_a_status(api, bound):
    path, node = bound
    status, refusal = api.call("GET", f"{path}/log", container="main")
    assert (status, refusal["details"]["name"]) == (404, node)


@pytest.mark.parametrize(
    ("asked", "status", "reason", "told"),
    [
        ("refuse-400", 400, "BadRequest", "refused with 400"),
        ("refuse-404", 404, "NotFound", "refused with 404"),
        ("refuse-500", 500, "InternalError", "cannot give the log: refused with 500"),
    ],
)
def test_what_the_agent_refuses_is_a_status(api, bound, serve, asked, status, reason, told):
    path, node = bound
    serve(f"node-{node}.sock")
    answer = api.call("GET", f"{path}/log", container="main", sinceTime=asked)
    assert (answer[0], answer[1]["kind"], answer[1]["reason"]) == (status, "Status", reason)
    assert answer[1]["message"].endswith(told)


def test_a_dead_socket_is_a_status(api, bound, serve, running):
    path, node = bound
    serve(f"node-{node}.sock").server_close()
    status, refusal = api.call("GET", f"{path}/log", container="main")
    assert (status, refusal["reason"]) == (503, "ServiceUnavailable")
    assert node in refusal["message"]


SERVICE = "/api/v1/namespaces/shoal-system/services/{}/proxy/{}"


def test_a_component_is_reached_as_a_service(api, serve):
    serve("svc-shoal-scheduler.sock")
    _, _, body = api.send("GET", SERVICE.format("shoal-scheduler", "explain/a"), run="b c")
    assert body == b"asked /explain/a?run=b+c\n"
    status, document = api.call(
        "POST",
        SERVICE.format("shoal-scheduler", "plan"),
        {"gpu": "1"},
        headers={"Content-Type": "application/json"},
    )
    assert (status, document) == (200, {"gpu": "1"})


def test_what_a_component_refuses_is_passed_on(api, serve):
    serve("svc-other.sock")
    status, _, body = api.send("GET", SERVICE.format("other", "refuse"))
    assert (status, body) == (400, b"no such container")


@pytest.mark.parametrize(
    ("name", "status"), [("absent", 503), ("..%2f..%2ftoken", 404), ("Odd_name", 404)]
)
def test_a_service_that_is_not_there_is_a_status(api, name, status):
    answer, _, body = api.send("GET", SERVICE.format(name, "x"))
    assert (answer, json.loads(body)["kind"]) == (status, "Status")


def test_only_the_system_namespace_has_services(api):
    path = SERVICE.format("shoal-scheduler", "x").replace("shoal-system", "default")
    assert api.call("GET", path)[0] == 404


def test_kubectl_logs(kubectl, bound, ns, serve):
    _, node = bound
    serve(f"node-{node}.sock")
    assert kubectl("-n", ns, "logs", "p", "-c", "main") == f"asked /logs/{ns}/p/main\n"

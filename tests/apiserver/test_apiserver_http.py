"""What is HTTP about the server: connections that stay, requests in a row, bodies in pieces."""

import contextlib
import gzip
import json
import socket

import pytest
from tests.apiserver.conftest import PATIENCE_S

MAPS = "/api/v1/namespaces/default/configmaps"


class Line:
    """A TLS connection, and whole answers from it."""

    def __init__(self, api, secure):
        self._api = api
        self._secure = secure
        self._came = secure.makefile("rb")

    def send(self, method, path, *headers, body=b"", version="1.1"):
        lines = [f"{method} {path} HTTP/{version}", "Host: x", *headers]
        lines += [f"Authorization: Bearer {self._api.token}", "", ""]
        self._secure.sendall("\r\n".join(lines).encode() + body)

    def send_raw(self, data):
        self._secure.sendall(data)

    def head(self):
        """Status and headers of the next answer."""
        status = int(self._came.readline().split()[1])
        headers = {}
        while line := self._came.readline().strip():
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        return status, headers

    def answer(self):
        """Status and document."""
        status, headers = self.head()
        content = self._came.read(int(headers["content-length"]))
        return status, json.loads(content)

    def rest(self):
        return self._came.read()


@pytest.fixture
def line(api):
    with (
        socket.create_connection(("127.0.0.1", api.port), timeout=PATIENCE_S) as plain,
        api.trust.wrap_socket(plain, server_hostname="127.0.0.1") as secure,
    ):
        yield Line(api, secure)


def new_map(name):
    return json.dumps({"metadata": {"name": name}}).encode()


def test_requests_that_come_in_a_row_are_answered_in_their_order(line):
    first = new_map("row-1")
    line.send("POST", MAPS, f"Content-Length: {len(first)}", body=first)
    line.send("GET", f"{MAPS}/row-1")
    line.send("GET", f"{MAPS}/row-2")
    line.send("GET", "/version")
    assert line.answer()[0] == 201
    assert line.answer()[1]["metadata"]["name"] == "row-1"
    assert line.answer()[0] == 404
    assert line.answer()[1]["major"]


def test_a_body_may_come_in_chunks_and_in_pieces(line):
    body = new_map("pieces")
    line.send("POST", MAPS, "Transfer-Encoding: chunked", body=b"5\r\n" + body[:5])
    for byte in b"\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body) - 5, body[5:]):
        line.send_raw(bytes([byte]))
    assert line.answer()[1]["metadata"]["name"] == "pieces"


def test_who_waits_with_a_body_is_told_to_send_it(line):
    body = new_map("waits")
    line.send("POST", MAPS, "Expect: 100-continue", f"Content-Length: {len(body)}")
    assert line.head()[0] == 100
    line.send_raw(body)
    assert line.answer()[0] == 201


def test_who_sends_too_much_is_told_before_the_body(line):
    line.send("POST", MAPS, "Expect: 100-continue", f"Content-Length: {10**9}")
    assert line.answer()[1]["code"] == 413


def test_a_refused_body_is_read_over_and_the_connection_stays(line):
    size = 4 * 1024 * 1024
    line.send("POST", MAPS, f"Content-Length: {size}")
    assert line.answer()[0] == 413
    line.send_raw(b"x" * size)
    line.send("GET", "/version")
    assert line.answer()[0] == 200


@pytest.mark.parametrize("pieces", [1, 4])
@pytest.mark.parametrize("long", ["path", "header", "headers", "name"])
def test_a_head_that_is_too_long_is_refused_however_it_comes(line, long, pieces):
    size = 100_000
    headers = {
        "path": b"",
        "header": b"X-Long: " + b"x" * size + b"\r\n",
        "headers": b"X-Many: " + b"\r\nX-Many: ".join([b"x" * 1000] * (size // 1000)) + b"\r\n",
        "name": b"X" * size + b": x\r\n",
    }[long]
    path = b"/version?" + b"x" * (size if long == "path" else 1)
    raw = b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n"
    step = len(raw) // pieces + 1
    with contextlib.suppress(OSError):
        for start in range(0, len(raw), step):
            line.send_raw(raw[start : start + step])
    assert line.head()[0] == 431


def test_a_head_of_a_size_that_is_still_taken_is_answered(line):
    line.send("GET", "/version", *[f"X-{n}: " + "x" * 1000 for n in range(50)])
    assert line.answer()[0] == 200


@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_packed_body_is_refused_with_a_sentence(api, verb):
    raw = gzip.compress(new_map("packed"))
    path = MAPS if verb == "POST" else f"{MAPS}/packed"
    status, refusal = api.call(verb, path, raw=raw, headers={"Content-Encoding": "gzip"})
    assert (status, refusal["reason"]) == (415, "UnsupportedMediaType")
    assert "send them as they are" in refusal["message"]
    plain = {"Content-Encoding": "identity", "Content-Type": "application/json"}
    raw = new_map("plain")
    assert api.call("POST", MAPS, raw=raw, headers=plain, dryRun="All")[0] == 201


def test_the_head_alone_is_the_same_without_a_body(line):
    line.send("HEAD", "/readyz")
    _, headers = line.head()
    assert int(headers["content-length"]) > 0
    line.send("GET", "/version")
    assert line.answer()[0] == 200


@pytest.mark.parametrize(("headers", "version"), [((), "1.0"), (("Connection: close",), "1.1")])
def test_a_connection_that_is_to_end_ends_after_its_answer(line, headers, version):
    line.send("GET", "/version", *headers, version=version)
    status, told = line.head()
    assert (status, told["connection"]) == (200, "close")
    assert json.loads(line.rest())["major"]


def test_no_http_is_told_so_and_ends(line):
    line.send_raw(b"what is this?\r\n\r\n")
    assert line.head()[0] == 400
    line.rest()


def test_streams_end_in_order_and_answers_are_given_when_the_server_ends(tmp_path, start_server):
    server = start_server(tmp_path / "box")
    api = server.api
    with api.watch("/api/v1/namespaces", resourceVersion="0") as events:
        api.create("/api/v1/namespaces", {"metadata": {"name": "seen"}})
        assert next(events)["object"]["metadata"]["name"] == "seen"
        code, log = server.stop()
        assert list(events) == []
    assert (code, "Traceback" in log) == (0, False)


def test_a_client_that_left_in_a_stream_is_forgotten(api, wait_until):
    def watches():
        _, _, page = api.send("GET", "/metrics")
        place = b'apiserver_longrunning_requests{verb="WATCH",resource="secrets",subresource=""} '
        found = [row for row in page.splitlines() if row.startswith(place)]
        return int(found[0].rpartition(b" ")[2]) if found else 0

    with contextlib.ExitStack() as open_:
        for _ in range(3):
            open_.enter_context(api.watch("/api/v1/secrets", resourceVersion="0"))
        wait_until(lambda: watches() == 3)
    wait_until(lambda: watches() == 0)

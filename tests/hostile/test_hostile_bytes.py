"""Bytes that are no request, or one that never ends, or far too much of one."""

import contextlib
import random

import pytest

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
MEGABYTE = 1024 * 1024


@pytest.mark.parametrize("seed", range(20))
def test_garbage_is_answered_with_a_refusal_or_with_nothing(peer, seed):
    dice = random.Random(seed)
    begin = dice.choice((b"", b"GET ", b"GET / HTTP/1.1\r\n", b"POST / HTTP/1.1\r\nHost: x\r\n"))
    with peer.line() as line:
        with contextlib.suppress(OSError):
            line.sendall(begin + dice.randbytes(2000) + b"\r\n\r\n")
        answer = _read(line)
    assert answer == b"" or b" 4" in answer.split(b"\r\n")[0]


@pytest.mark.parametrize(
    "headers",
    [
        {"Transfer-Encoding": "chunked", "Content-Length": "5"},
        {"Content-Length": "-1"},
        {"Content-Length": "x"},
        {"Content-Length": "9" * 40},
        {"Transfer-Encoding": "gzip"},
        {"Expect": "100-continue", "Content-Length": "9" * 12},
        {"Upgrade": "websocket", "Connection": "Upgrade"},
        {"Authorization": "Bearer \xff"},
    ],
)
def test_heads_that_contradict_themselves_are_refused(peer, headers):
    with peer.line() as line:
        line.sendall(peer.head("POST", MAPS, **headers) + b"zz\r\nxx\r\n0\r\n\r\n")
        answer = _read(line)
    assert answer == b"" or b" 4" in answer.split(b"\r\n")[0]


def test_half_requests_keep_nobody_out(peer):
    with contextlib.ExitStack() as lines:
        for part in range(1, 100):
            line = lines.enter_context(peer.line())
            line.sendall(peer.head("POST", MAPS, **{"Content-Length": "100"})[:part] or b"G")
        for _ in range(100):
            line = lines.enter_context(peer.line())
            line.sendall(peer.head("POST", MAPS, **{"Content-Length": "100"}) + b"{")
        assert peer.ask("GET", "/readyz")[0] == 200


def test_readers_that_do_not_read_keep_nobody_out(peer):
    for number in range(20):
        body = {"metadata": {"name": f"large-{number}"}, "data": {"k": "x" * 500_000}}
        peer.ask("POST", MAPS, body)
    with contextlib.ExitStack() as lines:
        for _ in range(10):
            line = lines.enter_context(peer.line())
            line.sendall(peer.head("GET", MAPS))
        assert peer.ask("GET", f"{MAPS}/large-0")[0] == 200
        assert peer.memory_mb() <= peer.MOST_MEMORY_MB


@pytest.mark.parametrize("kind", ["application/json", YAML, PROTOBUF])
def test_ten_megabytes_are_too_much(peer, kind):
    raw = b'{"x":"' + b"x" * 10 * MEGABYTE + b'"}'
    with peer.line() as line:
        head = {"Content-Length": str(len(raw)), "Content-Type": kind}
        line.sendall(peer.head("POST", MAPS, **head))
        assert b" 413 " in _line_of(line)


def test_ten_megabytes_in_pieces_are_too_much(peer):
    with peer.line() as line:
        line.sendall(peer.head("POST", MAPS, **{"Transfer-Encoding": "chunked"}))
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        with contextlib.suppress(OSError):
            for _ in range(160):
                line.sendall(piece)
        assert b" 413 " in _line_of(line)


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("application/json", b"[" * MEGABYTE),
        ("application/json", b'{"a":' * 200_000 + b"1" + b"}" * 200_000),
        (
            "application/json",
            b'{"metadata":{"name":"a"},"data":' + b'{"a":' * 900 + b"1" + b"}" * 902,
        ),
        (YAML, b"[" * 200_000),
        (YAML, b"".join(b" " * n + b"a:\n" for n in range(1000))),
        (YAML, b"a: &a [x]\n" + b"".join(b"b%d: &b%d [*a, *a]\n" % (n, n) for n in range(30))),
        (PROTOBUF, b"k8s\0" + b"\x0a\xff\xff\xff\xff\x0f" * 1000),
        (PROTOBUF, b"k8s\0" + b"\x0a\x7f" * 100_000),
        (PROTOBUF, b"k8s\0" + b"\x0b" * 100_000),
    ],
)
@pytest.mark.parametrize("path", [MAPS, PODS])
def test_deep_bodies_are_refused(peer, path, kind, raw):
    status, refusal = peer.ask("POST", path, raw=raw, headers={"Content-Type": kind})
    assert 400 <= status < 500, refusal
    assert refusal["kind"] == "Status"


def test_many_and_long_headers_are_refused(peer):
    many = {f"X-{number}": "x" * 100 for number in range(2000)}
    with peer.line() as line:
        with contextlib.suppress(OSError):
            line.sendall(peer.head("GET", MAPS, **many))
        answer = _read(line)
    assert answer == b"" or b" 431 " in answer.split(b"\r\n")[0]


def test_a_very_long_path_and_query_are_refused_or_found_nowhere(peer):
    assert peer.ask("GET", "/api/v1/" + "a/" * 20_000)[0] in (400, 404)
    assert peer.ask("GET", f"{MAPS}?labelSelector=" + "a%2C" * 10_000)[0] in (200, 400)


def _read(line) -> bytes:
    """What comes before the end or a break; the beginning of it is enough."""
    with contextlib.suppress(OSError):
        return line.recv(4096)
    return b""


def _line_of(line) -> bytes:
    return _read(line).split(b"\r\n")[0]

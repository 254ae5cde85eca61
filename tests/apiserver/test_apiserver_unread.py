"""What all clients together leave unread has a most, and who reads does not suffer from it."""

import contextlib
import socket
from pathlib import Path

from shoal.apiserver.unread import MOST_UNREAD

MAPS = "/api/v1/namespaces/default/configmaps"
_ONE = 900_000
_LIST = 10 * _ONE
_READERS = 25


def _asking(api, lines, **headers):
    """A client that asks for a list and does not read it."""
    line = lines.enter_context(socket.create_connection(("127.0.0.1", api.port), timeout=60))
    secure = lines.enter_context(api.trust.wrap_socket(line, server_hostname="127.0.0.1"))
    told = {"Host": "x", "Authorization": f"Bearer {api.token}"} | headers
    head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    secure.sendall(f"GET {MAPS} HTTP/1.1\r\n{head}\r\n".encode())
    return secure


def _came(line):
    """How much comes, until nothing more does."""
    came = 0
    with contextlib.suppress(OSError):
        while data := line.recv(1 << 20):
            came += len(data)
            if came >= _LIST:
                break
    return came


def _memory_mib(pid):
    """The server's proportional share of memory."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) // 1024
    raise AssertionError("the kernel tells no share of memory")


def test_of_many_that_do_not_read_some_are_cut_off_and_others_are_answered(start_server, tmp_path):
    server = start_server(tmp_path / "box")
    api = server.api
    api.create("/api/v1/namespaces", {"metadata": {"name": "default"}})
    for number in range(10):
        api.create(MAPS, {"metadata": {"name": f"m{number}"}, "data": {"k": "x" * _ONE}})
    before = _memory_mib(server.process.pid)
    with contextlib.ExitStack() as lines:
        readers = [_asking(api, lines) for _ in range(_READERS)]
        api.get(f"{MAPS}/m0")
        grown = _memory_mib(server.process.pid) - before
        whole = sum(_came(line) >= _LIST for line in readers)
    assert 0 < whole < _READERS
    assert grown < 4 * MOST_UNREAD >> 20
    assert _memory_mib(server.process.pid) - before < 3 * MOST_UNREAD >> 20
    assert len(api.get(MAPS)["items"]) == 10

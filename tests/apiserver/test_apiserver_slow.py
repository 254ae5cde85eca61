"""A client that does not read is cut off, and goes on exactly where it was."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.apiserver.conftest import PATIENCE_S, Api
from tests.serving import server_environment

MAPS = "/api/v1/namespaces/default/configmaps"
_IMPATIENT = """
import sys
from shoal.apiserver import bounds
bounds.READ_WITHIN_S = 0.3
sys.argv = ["shoal", "apiserver", "--port", "0"]
from shoal.cli.main import main
main()
"""


@pytest.fixture
def impatient(tmp_path):
    """A server that waits a third of a second for a reader."""
    home = tmp_path / "box"
    process = subprocess.Popen(
        [sys.executable, "-c", _IMPATIENT],
        env=server_environment(home),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline().startswith("ready")
    yield Api(home), Path(f"/proc/{process.pid}/fd")
    process.terminate()
    process.communicate(timeout=PATIENCE_S)


def test_a_watch_that_is_not_read_is_cut_off_and_resumes_exactly(impatient, wait_until):
    api, files = impatient
    api.create("/api/v1/namespaces", {"metadata": {"name": "default"}})
    first = api.create(MAPS, {"metadata": {"name": "big"}})["metadata"]["resourceVersion"]
    raw = socket.create_connection(("127.0.0.1", api.port), timeout=PATIENCE_S)
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
    with api.trust.wrap_socket(raw, server_hostname="127.0.0.1") as slow:
        ask = f"GET {MAPS}?watch=true&resourceVersion={first} HTTP/1.1\r\nHost: x\r\n"
        slow.sendall(f"{ask}Authorization: Bearer {api.token}\r\n\r\n".encode())
        with api.watch(MAPS, resourceVersion=first):
            open_files = len(list(files.iterdir()))  # of the slow watch, this one and the client
        written = []
        for number in range(60):
            status, changed = api.patch(f"{MAPS}/big", {"data": {"k": f"{number}" + "x" * 200_000}})
            assert status == 200
            written.append(changed["metadata"]["resourceVersion"])
        wait_until(lambda: len(list(files.iterdir())) <= open_files - 2)
        seen = _versions(_all_that_comes(slow))
    assert seen == written[: len(seen)]
    assert len(seen) < len(written)
    place = seen[-1] if seen else first
    with api.watch(MAPS, resourceVersion=place) as events:
        rest = [next(events) for _ in written[len(seen) :]]
    assert [event["object"]["metadata"]["resourceVersion"] for event in rest] == (
        written[len(seen) :]
    )


def _all_that_comes(slow):
    """Until the server has cut the connection."""
    came = b""
    try:
        while data := slow.recv(65536):
            came += data
    except OSError as error:
        assert not isinstance(error, TimeoutError), "the connection is still there"
    return came


def _versions(came):
    """Of the events that came whole; the chunks of HTTP are taken apart."""
    _, _, rest = came.partition(b"\r\n\r\n")
    body = b""
    while b"\r\n" in rest:
        size, _, rest = rest.partition(b"\r\n")
        body += rest[: int(size, 16)]
        rest = rest[int(size, 16) + 2 :]
    lines = body.split(b"\n")[:-1]
    return [json.loads(line)["object"]["metadata"]["resourceVersion"] for line in lines]

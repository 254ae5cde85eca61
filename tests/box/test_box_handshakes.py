"""What a client of the box lives through when its API server dies again and again."""

import contextlib
import socket
import struct
from pathlib import Path

from tests.serving import BOUND_S, api_server, component

from shoal.kube.config import load_config

ROUNDS = 6
AT_ONCE = 5
NOTHING_LEFT = struct.pack("ii", 1, 0)
"""SO_LINGER of a process that died with bytes unread: what was sent to it is refused."""


def die_in_handshakes(port: int) -> None:
    """Take some connections, read nothing of them, and be gone with all of them."""
    with contextlib.ExitStack() as held, socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()
        listening.settimeout(BOUND_S)
        for _ in range(AT_ONCE):
            taken, _ = listening.accept()
            held.enter_context(taken)
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NOTHING_LEFT)


def test_servers_that_die_in_handshakes_end_no_client(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with contextlib.ExitStack() as server:
        kubeconfig = server.enter_context(api_server(home))
        port = int(load_config(kubeconfig).server.rpartition(":")[2])
        with component(home, "loops") as loops:
            server.close()
            for _ in range(ROUNDS):
                die_in_handshakes(port)
            assert loops.poll() is None, (tmp_path / "loops.log").read_text()

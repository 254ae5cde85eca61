"""Find the neighbours of a ring from RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.

Rank 0 listens on MASTER_PORT. Every other rank calls it, tells where its own listener is and is
told where all of them are; then each connects to the rank on its right and accepts the one on its
left. Messages are lines of JSON. Nothing here waits longer than ``PATIENCE`` seconds.
"""

import json
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

PATIENCE = 60.0
_RETRY = 0.05
_LONGEST_LINE = 1 << 16

Address = tuple[str, int]


class NoRingError(Exception):
    """The environment does not say which rank of which ring this is."""


class PeerLostError(Exception):
    """A rank of the ring did not come, went away or fell silent."""


@dataclass(frozen=True)
class Place:
    """Which of how many ranks this process is, and where rank 0 listens."""

    rank: int
    size: int
    master: Address

    @classmethod
    def read(cls, env: Mapping[str, str]) -> "Place":
        """Take it from the rank environment. Raises NoRingError naming the wrong variable."""
        rank, size, port = (_number(env, key) for key in ("RANK", "WORLD_SIZE", "MASTER_PORT"))
        if not 0 <= rank < size:
            raise NoRingError(f"RANK is {rank} and WORLD_SIZE {size}: ranks count from 0.")
        return cls(rank, size, (env.get("MASTER_ADDR") or "127.0.0.1", port))


@dataclass(frozen=True)
class Neighbours:
    """Two connected sockets: what is sent to ``right`` arrives there from its ``left``."""

    left: socket.socket
    right: socket.socket


def join(place: Place) -> Neighbours:
    """Connect to both neighbours. Raises PeerLostError when one does not come in time."""
    try:
        with ExitStack() as stack:
            listener, everyone = (_gather if place.rank == 0 else _report)(place, stack)
            right = socket.create_connection(everyone[(place.rank + 1) % place.size], PATIENCE)
            return Neighbours(_accept(listener), right)
    except (OSError, ValueError, LookupError) as error:
        raise PeerLostError(f"the ring of {place.size} did not come together: {error}") from error


def _gather(place: Place, stack: ExitStack) -> tuple[socket.socket, list[Address]]:
    """Rank 0: collect the address of every rank, then tell all of them to each."""
    server = _listen(place.master, stack)
    listener = _listen((place.master[0], 0), stack)
    everyone = {0: _address(listener)}
    calls = []
    while len(everyone) < place.size:
        call = stack.enter_context(_accept(server))
        rank, host, port = _receive(call)
        everyone[rank] = (host, port)
        calls.append(call)
    addresses = [everyone[rank] for rank in range(place.size)]
    for call in calls:
        call.sendall(json.dumps(addresses).encode() + b"\n")
    return listener, addresses


def _report(place: Place, stack: ExitStack) -> tuple[socket.socket, list[Address]]:
    """Any other rank: listen where rank 0 is reached from, tell it, and hear of the others."""
    call = stack.enter_context(_call(place.master))
    listener = _listen((call.getsockname()[0], 0), stack)
    call.sendall(json.dumps([place.rank, *_address(listener)]).encode() + b"\n")
    return listener, [(host, port) for host, port in _receive(call)]


def _call(master: Address) -> socket.socket:
    """Connect to rank 0, which may start a little later than this rank."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(master, PATIENCE)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY)


def _listen(address: Address, stack: ExitStack) -> socket.socket:
    listener = stack.enter_context(socket.create_server(address, backlog=128))
    listener.settimeout(PATIENCE)
    return listener


def _accept(listener: socket.socket) -> socket.socket:
    peer, _ = listener.accept()
    peer.settimeout(PATIENCE)
    return peer


def _address(listener: socket.socket) -> Address:
    host, port = listener.getsockname()[:2]
    return host, port


def _receive(call: socket.socket) -> list[Any]:
    with call.makefile("rb") as lines:
        line = lines.readline(_LONGEST_LINE)
    if not line:
        raise PeerLostError("a rank went away before the ring was whole")
    told: list[Any] = json.loads(line)
    return told


def _number(env: Mapping[str, str], key: str) -> int:
    text = env.get(key, "")
    if not text.isdecimal():
        got = f"is {text!r}, not a number" if text else "is not set"
        start = "shoal run --replicas 4 --gpu 1/4 --pack -- python examples/ring/ring.py"
        raise NoRingError(f"{key} {got}: shoal sets it for every replica. Start: {start}")
    return int(text)

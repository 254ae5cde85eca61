"""A ring all-reduce over sockets: every rank ends with the sum of what all ranks brought.

With N ranks a vector is cut into N chunks. In N-1 steps each rank adds the chunk that comes from
its left and passes it on to its right, so that it ends with one chunk of the sum; in N-1 more
steps the finished chunks go round (Patarasuk and Yuan, 2009). Every rank then checks every number
against the sum worked out in one line. Standard library only.

Exit codes: 0 every sum right · 1 a wrong sum or a lost peer · 2 no rank environment.
"""

import argparse
import os
import socket
import sys
import time
from array import array
from itertools import pairwise
from operator import add

from rendezvous import Neighbours, NoRingError, PeerLostError, Place, join

PIECE = 16 * 1024  # bytes: small enough that two of them fit any socket's buffer
REST = 0.5  # seconds between two groups of rounds while lingering: the neighbours get a turn


class WrongSumError(Exception):
    """A number of the result is not the sum of what the ranks brought."""


def main() -> int:
    """Reduce for ``--rounds`` rounds, then again and again until ``--linger`` seconds are over."""
    asked = _arguments()
    try:
        place = Place.read(os.environ)
    except NoRingError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        rounds = _work(place, join(place), asked)
    except (PeerLostError, WrongSumError) as error:
        print(f"rank {place.rank}: {error}", file=sys.stderr)
        return 1
    print(f"rank {place.rank}: sum right, {rounds} rounds, {asked.size} numbers each", flush=True)
    return 0


def _work(place: Place, ring: Neighbours, asked: argparse.Namespace) -> int:
    """Do groups of rounds for as long as any rank wants to; returns how many rounds it was."""
    ends = time.monotonic() + asked.linger
    rounds: int = asked.rounds
    done = 0
    while True:
        started = time.monotonic()
        for number in range(done, done + rounds):
            _round(place, ring, number, asked.size)
        took = time.monotonic() - started
        print(f"rank {place.rank}  rounds {done + 1}-{done + rounds}  {took:.2f} s", flush=True)
        done += rounds
        if not _anyone_lingers(place, ring, time.monotonic() < ends):
            return done
        time.sleep(REST)


def _anyone_lingers(place: Place, ring: Neighbours, this_one: bool) -> bool:
    """Agree on going on, since clocks differ: the votes are summed like everything else."""
    votes = array("q", [int(this_one)])
    all_reduce(place, ring, votes)
    return votes[0] > 0


def _round(place: Place, ring: Neighbours, number: int, size: int) -> None:
    """Rank r brings (r+1)(i+number) at index i, so the sum of N ranks is N(N+1)/2 (i+number)."""
    mine = place.rank + 1
    vector = array("q", [mine * (index + number) for index in range(size)])
    all_reduce(place, ring, vector)
    factor = place.size * (place.size + 1) // 2
    for index, got in enumerate(vector):
        if got != factor * (index + number):
            wanted = factor * (index + number)
            raise WrongSumError(f"round {number}: number {index} is {got}, not {wanted}")


def all_reduce(place: Place, ring: Neighbours, vector: "array[int]") -> None:
    """Replace ``vector``, as long on every rank, by the sum over all ranks.

    Raises PeerLostError when a neighbour is gone or silent.
    """
    cuts = [len(vector) * part // place.size for part in range(place.size + 1)]
    chunks = [slice(start, end) for start, end in pairwise(cuts)]
    for step in range(place.size - 1):
        out, into = (chunks[(place.rank - step - back) % place.size] for back in (0, 1))
        vector[into] = array("q", map(add, vector[into], _exchange(ring, vector[out], into)))
    for step in range(place.size - 1):
        out, into = (chunks[(place.rank - step - back) % place.size] for back in (-1, 0))
        vector[into] = _exchange(ring, vector[out], into)


def _exchange(ring: Neighbours, outgoing: "array[int]", into: slice) -> "array[int]":
    """Send to the right while receiving from the left.

    A rank sends one piece before it waits for one, so that no ring of full buffers can form.
    """
    incoming = array("q", bytes((into.stop - into.start) * outgoing.itemsize))
    to_send, to_fill = memoryview(outgoing).cast("B"), memoryview(incoming).cast("B")
    try:
        for start in range(0, max(len(to_send), len(to_fill)), PIECE):
            ring.right.sendall(to_send[start : start + PIECE])
            _fill(ring.left, to_fill[start : start + PIECE])
    except OSError as error:
        raise PeerLostError(f"lost a neighbour in the ring: {error}") from error
    return incoming


def _fill(peer: socket.socket, piece: memoryview) -> None:
    while piece:
        count = peer.recv_into(piece)
        if count == 0:
            raise PeerLostError("the rank on the left went away")
        piece = piece[count:]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A ring all-reduce that checks its sums.")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in a group (default: 5)")
    parser.add_argument("--size", type=int, default=65536, help="numbers (default: 65536)")
    parser.add_argument(
        "--linger",
        type=float,
        default=0,
        metavar="SECONDS",
        help="repeat the group for this long, with short rests (default: 0)",
    )
    asked = parser.parse_args()
    if asked.rounds < 1 or asked.size < 1:
        parser.error("--rounds and --size take 1 or more. Example: --rounds 5 --size 65536")
    return asked


if __name__ == "__main__":
    sys.exit(main())

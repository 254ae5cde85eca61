"""The ring sums right at every size, and nobody waits for a peer that is gone."""

import json
import signal
import socket
import struct
from contextlib import contextmanager

import pytest

PROGRAM = "ring/ring.py"


@pytest.fixture
def ring(start):
    """Start every rank of a ring on a free port: ``ring(4, "--rounds", "2")``."""

    def _ring(size, *arguments):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            env = _environment(size, probe.getsockname()[1])
        return [start(PROGRAM, *arguments, RANK=str(rank), **env) for rank in range(size)]

    return _ring


def _environment(size, port):
    return {"WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


def _ends(process):
    said, _ = process.communicate(timeout=60)
    return process.returncode, said


@pytest.mark.parametrize("size", [1, 2, 4])
def test_every_rank_finds_the_sum_right(ring, size):
    for rank, process in enumerate(ring(size, "--rounds", "3", "--size", "10001")):
        code, said = _ends(process)
        assert code == 0, said
        assert said.splitlines()[-1] == f"rank {rank}: sum right, 3 rounds, 10001 numbers each"


def test_lingering_ranks_stop_at_the_same_round(ring):
    ranks = ring(2, "--size", "100", "--linger", "1.5")
    lasts = [_ends(process)[1].splitlines()[-1] for process in ranks]
    rounds = {int(last.split(", ")[1].split()[0]) for last in lasts}
    assert len(rounds) == 1
    assert rounds.pop() > 5


@pytest.mark.parametrize("victim", [0, 2])
def test_when_a_peer_is_killed_the_others_say_so_and_end(ring, victim):
    ranks = ring(4, "--linger", "600")
    for process in ranks:
        assert "rounds 1-5" in process.stdout.readline()
    ranks[victim].send_signal(signal.SIGKILL)
    for rank, process in enumerate(ranks):
        code, said = _ends(process)
        if rank != victim:
            assert code == 1, said
            assert f"rank {rank}: " in said
            assert "Traceback" not in said


def test_a_peer_that_brings_wrong_numbers_is_found_out(start):
    with socket.create_server(("127.0.0.1", 0)) as meeting:
        env = _environment(2, meeting.getsockname()[1])
        honest = start(PROGRAM, "--size", "4", RANK="1", **env)
        with _as_rank_0(meeting) as neighbour:
            neighbour.sendall(struct.pack("=4q", 7, 7, 7, 7))
            code, said = _ends(honest)
    assert code == 1
    assert said == "rank 1: round 0: number 0 is 7, not 0\n"


@contextmanager
def _as_rank_0(meeting):
    """Play rank 0 of a ring of two: the socket on which rank 1 hears its left neighbour."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        call, _ = meeting.accept()
        with call, call.makefile("rw") as lines:
            _, host, port = json.loads(lines.readline())
            lines.write(json.dumps([listener.getsockname(), [host, port]]) + "\n")
        with socket.create_connection((host, port)) as neighbour, listener.accept()[0]:
            yield neighbour


def test_a_wrong_rank_environment_is_told_in_one_sentence(run):
    code, said = run(PROGRAM, RANK="4", WORLD_SIZE="4", MASTER_PORT="1")
    assert (code, said) == (2, "RANK is 4 and WORLD_SIZE 4: ranks count from 0.\n")
    code, said = run(PROGRAM, RANK="0", WORLD_SIZE="four", MASTER_PORT="1")
    assert code == 2
    assert said.startswith("WORLD_SIZE is 'four', not a number")

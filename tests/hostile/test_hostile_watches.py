"""More watches than there may be, from other processes."""

import collections
import contextlib
import json
import subprocess
import sys
from pathlib import Path

FLOOD = Path(__file__).with_name("flood.py")
PROCESSES = 4
EACH = 2000
ALLOWED = 2000


def test_8000_watches_are_served_up_to_the_bound_and_told_beyond_it(peer):
    with contextlib.ExitStack() as floods:
        running = [floods.enter_context(_flood(peer)) for _ in range(PROCESSES)]
        statuses = collections.Counter()
        for process in running:
            statuses += collections.Counter(json.loads(process.stdout.readline()))
        assert statuses == {"200": ALLOWED, "429": PROCESSES * EACH - ALLOWED}

        maps = "/api/v1/namespaces/default/configmaps"
        assert peer.ask("POST", maps, {"metadata": {"name": "flood"}})[0] == 201
        for process in running:
            process.stdin.write("\n")
            process.stdin.flush()
        assert sum(int(process.stdout.readline()) for process in running) == ALLOWED
        assert peer.memory_mb() <= peer.MOST_MEMORY_MB


@contextlib.contextmanager
def _flood(peer):
    command = [sys.executable, FLOOD, peer.home / "kubeconfig", str(EACH)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()

"""The API server in the processes of ``shoal up``: TLS on, validation, admission and watches.

python bench/apiserver.py

The load comes from ``bench/load.py``, a process of its own whose CPU time is printed beside.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import harness
from load import PODS, pod

from shoal.cli.box.memory import pss_mib

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
OBJECTS = 20_000
IDLE_S = 30


def main() -> None:
    """Measure and tell."""
    with harness.box() as box:
        _creates(box, "first", 10_000)
        _list(box)
        _fan_out(box)
        _delay(box)
        _creates(box, "second", OBJECTS - 10_000)
        mib = pss_mib(_pids(box.home)["apiserver"]) or 0
        figure = f"API server PSS with {OBJECTS} objects"
        harness.tell(figure, f"{mib} MiB", "≤ 150 MiB", reached=mib <= 150)
        box.shoal("down")
        _restart(box)
    with harness.box() as box:
        _idle(box)


def _creates(box: harness.Box, prefix: str, count: int) -> None:
    before = _cpu(box.home, ["apiserver"])
    got = _load(box, "create", prefix=prefix, count=count, clients=16)
    each = (_cpu(box.home, ["apiserver"]) - before) / count * 1e6
    rate = count / got["seconds"]
    value = f"{rate:.0f} a second ({each:.0f} µs of the server's CPU each, {_own(got)})"
    harness.tell(f"{count} durable creates", value, "≥ 1,200", reached=rate >= 1200)


def _list(box: harness.Box) -> None:
    got = _load(box, "list", times=9)
    value = f"{got['median'] * 1000:.0f} ms to the first byte of {got['bytes'] / 1e6:.1f} MB"
    reached = got["median"] <= 0.25
    harness.tell("list of 10,000 pods", f"{value} ({_own(got)})", "≤ 250 ms", reached=reached)


def _fan_out(box: harness.Box) -> None:
    got = _load(box, "fan-out", watchers=100, events=1000, clients=16)
    rate = 100 * 1000 / got["seconds"]
    value = f"{rate:.0f} deliveries a second ({_own(got)})"
    harness.tell("100 watchers, 1,000 events", value, "≥ 30,000", reached=rate >= 30_000)


def _delay(box: harness.Box) -> None:
    got = _load(box, "delay", rate=200, seconds=10)
    late = got["p99"] * 1000
    value = f"p50 {got['p50'] * 1000:.1f} ms, p99 {late:.1f} ms ({_own(got)})"
    harness.tell("write to event, 200 a second", value, "p99 ≤ 25 ms", reached=late <= 25)


def _restart(box: harness.Box) -> None:
    command = [harness.SHOAL, "apiserver", "--port", "0"]
    started = time.monotonic()
    with subprocess.Popen(command, env=box.env, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()
        seconds = time.monotonic() - started
        server.terminate()
    figure = f"API server until ready with {OBJECTS} objects"
    harness.tell(figure, f"{seconds:.2f} s", "≤ 1.5 s", reached=seconds <= 1.5)


def _idle(box: harness.Box) -> None:
    """CPU of all processes of the box, keepers included, while 100 pods sleep."""
    for number in range(100):
        body = json.loads(pod(f"sleep-{number}"))
        body["spec"]["nodeName"] = box.shoal("get", "nodes", "-o", "name").strip().split("/")[-1]
        body["spec"]["containers"][0] = {
            "name": "main",
            "image": "host",
            "command": ["sleep", "3600"],
        }
        box.client.request("POST", PODS, body=body)
    while _phases(box).count("Running") < 100:
        time.sleep(0.5)
    time.sleep(5)
    names = list(_pids(box.home))
    before = _cpu(box.home, names)
    time.sleep(IDLE_S)
    share = (_cpu(box.home, names) - before) / IDLE_S * 100
    value = f"{share:.1f} % of one core"
    harness.tell("idle with 100 pods running", value, "≤ 3 %", reached=share <= 3)


def _phases(box: harness.Box) -> list[str]:
    items: list[Any] = json.loads(box.client.request("GET", PODS))["items"]
    return [item.get("status", {}).get("phase", "") for item in items]


def _load(box: harness.Box, task: str, **arguments: object) -> dict[str, float]:
    program = str(Path(__file__).with_name("load.py"))
    kubeconfig = str(box.home / "kubeconfig")
    command = [sys.executable, program, kubeconfig, task, json.dumps(arguments)]
    done = subprocess.run(command, check=True, capture_output=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _own(got: dict[str, float]) -> str:
    return f"load generator {got['own_cpu']:.1f} s of CPU"


def _pids(home: Path) -> dict[str, int]:
    """Process ids of the box by role; keepers by their number."""
    found: dict[str, int] = {}
    state = json.loads((home / "box.json").read_text())
    found = {process["name"]: process["pid"] for process in state["processes"]}
    found["supervisor"] = state["pid"]
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            told = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if b"shoal_keeper" in told.split(b"\0")[0] and str(home).encode() in told:
            found[f"keeper-{entry.name}"] = int(entry.name)
    return found


def _cpu(home: Path, names: Sequence[str]) -> float:
    """Seconds of CPU that these processes have used."""
    pids = _pids(home)
    fields = [Path(f"/proc/{pids[name]}/stat").read_text().rpartition(")")[2] for name in names]
    return sum(sum(map(int, line.split()[11:13])) for line in fields) * TICK_S


if __name__ == "__main__":
    main()

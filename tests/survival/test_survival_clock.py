"""The clock jumps by an hour either way while everything runs: nothing ends early or hangs."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.box.harness import Box, make_box

from shoal.units.instant import parse_instant

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), Path("libfaketimeMT.so.1"))
HOUR_MS = 3_600_000
JOBS = """
apiVersion: batch/v1
kind: Job
metadata: {name: limited}
spec:
  activeDeadlineSeconds: 1800
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: host, command: [sleep, "600"]}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: remembered}
spec:
  ttlSecondsAfterFinished: 1800
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: host, command: ["true"]}]
---
apiVersion: v1
kind: Pod
metadata: {name: stubborn}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1200
  containers:
  - {name: main, image: host, command: [sh, -c, "trap '' TERM; while :; do sleep 0.1; done"]}
"""


class Clock:
    """What the processes of a box take for the time of day: the machine's, moved."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.set("+0")

    def set(self, offset: str) -> None:
        """Move it to so much after or before the machine's own."""
        fresh = self._file.with_suffix(".new")
        fresh.write_text(f"{offset}\n")
        fresh.replace(self._file)

    @property
    def environment(self) -> dict[str, str]:
        """For processes whose clock it shall be."""
        return {
            "LD_PRELOAD": str(FAKETIME),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_NO_CACHE": "1",
        }


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    assert FAKETIME.exists(), "the test needs libfaketime: apt-get install faketime"
    return Clock(tmp_path / "clock")


@pytest.fixture
def box(tmp_path: Path, clock: Clock):
    box = make_box(tmp_path)
    up = box.shoal(
        *("up", "-d", "--port", "0", "--gpus", "sim:1xT4"), env=box.env | clock.environment
    )
    assert up.returncode == 0, up.stderr
    yield box
    box.ok("down", "--kill")
    assert not box.processes()


def job(box: Box, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(box.kubectl("get", "job", name, "-o", "json"))
    return found


def stubborn(box: Box) -> str:
    pods = [p for p in box.objects("pods") if p["metadata"]["name"] == "stubborn"]
    return str(pods[0]["status"]["phase"]) if pods else "gone"


def created_ms(box: Box, run: str) -> int:
    return parse_instant(box.run(run)["metadata"]["creationTimestamp"])


def still_there(box: Box) -> None:
    """What must not have ended by a clock that was set."""
    assert box.status("limited")["phase"] == "Running"
    assert not job(box, "limited")["status"].get("conditions")
    assert job(box, "limited")["status"]["active"] == 1
    assert job(box, "remembered")["status"]["succeeded"] == 1


def goes_on(box: Box, name: str) -> None:
    """Runs are placed, fail, are tried again, end by their time limit; the node is ready."""
    box.ok("run", "--name", f"{name}-whole", "--gpu", "1/2", "--", "true")
    failing = box.shoal("run", "--name", f"{name}-again", "--retry", "1", "--", "false")
    assert failing.returncode == 1
    assert box.status(f"{name}-again")["restarts"] == 1
    box.shoal("run", "--name", f"{name}-limit", "--time", "1s", "--", "sleep", "600")
    assert box.status(f"{name}-limit")["phase"] == "TimedOut"
    conditions = box.objects("nodes")[0]["status"]["conditions"]
    assert {"Ready": "True"}.items() <= {c["type"]: c["status"] for c in conditions}.items()


def test_nothing_ends_early_or_hangs_when_the_clock_is_set(box: Box, clock: Clock) -> None:
    (box.work / "jobs.yaml").write_text(JOBS)
    box.kubectl("apply", "-f", str(box.work / "jobs.yaml"))
    box.ok("run", "-d", "--name", "limited", "--time", "30m", "--gpu", "1/2", "--", "sleep", "600")
    box.wait_for("limited", "Running")
    box.until(lambda: job(box, "limited")["status"].get("active") == 1, "the job runs")
    box.until(lambda: job(box, "remembered")["status"].get("succeeded") == 1, "the job is done")
    box.until(lambda: stubborn(box) == "Running", "the stubborn pod runs")
    box.kubectl("delete", "pod", "stubborn", "--wait=false")

    for offset, away in (("+1h", HOUR_MS), ("-1h", -HOUR_MS), ("+0", 0)):
        before = created_ms(box, "limited")
        clock.set(offset)
        box.replace_process("agent")
        box.replace_process("loops")
        goes_on(box, f"at{away // HOUR_MS}".replace("-", "m"))
        told = created_ms(box, f"at{away // HOUR_MS}-whole".replace("at-", "atm"))
        assert abs(told - before - away) < HOUR_MS // 2, "the processes did not see the jump"
        still_there(box)
        assert stubborn(box) == "Running", "a grace ended early"

    for run in box.objects("runs"):
        status = run["status"]
        if "finishedAt" in status and "startedAt" in status:
            took = parse_instant(status["finishedAt"]) - parse_instant(status["startedAt"])
            assert 0 <= took < 60_000, f"a bill of {took} ms: {status}"
    box.kubectl("delete", "pod", "stubborn", "--grace-period=1", "--timeout=60s")

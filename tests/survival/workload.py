"""The runs of a torture: what they do, and how they end where nobody hurts them."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from shoal.api.meta import API_VERSION

FOREVER = "exec sleep 600"
ONCE = 'test -e "$SHOAL_OUT/once" && exit 0; touch "$SHOAL_OUT/once"; sleep 0.5; exit 3'
SHARES = ("", "1/4", "1/4", "1/2", "1", "20Gi", "2")


class Job(msgspec.Struct):
    """A run to make. ``end`` is its last phase, empty for one that is deleted half-way."""

    name: str
    body: dict[str, Any]
    end: str
    asked: str = ""
    """What is to be done once it runs: stop, delete, or nothing."""

    @property
    def restarts(self) -> int:
        """How often it is tried again where no keeper is killed."""
        fails = self.name.startswith(("fail", "again"))
        retries = int(self.body["spec"]["retry"]["max"]) if fails else 0
        return min(retries, 1) if self.name.startswith("again") else retries


def jobs(seed: int, ledger: Path) -> Callable[[], Job]:
    """A source of mixed runs."""
    rng = random.Random(seed)
    numbers = iter(range(1_000_000))

    def draw() -> Job:
        kind = rng.choice(("ok", "ok", "fail", "again", "limit", "stop", "delete"))
        name = f"{kind}-{next(numbers)}"
        return _job(kind, name, rng, ledger)

    return draw


def _job(kind: str, name: str, rng: random.Random, ledger: Path) -> Job:
    length = round(rng.uniform(0, 3), 2)
    retries = rng.randint(0, 2)
    does, end, asked = {
        "ok": (f"sleep {length}", "Succeeded", ""),
        "fail": (f"sleep {length}; exit 3", "Failed", ""),
        "again": (ONCE, "Succeeded", ""),
        "limit": (FOREVER, "TimedOut", ""),
        "stop": (FOREVER, "Stopped", "stop"),
        "delete": (FOREVER, "", "delete"),
    }[kind]
    spec: dict[str, Any] = {
        "run": f"{_witness(ledger)}{does}",
        "gpu": rng.choice(SHARES),
        "replicas": 1 if kind == "again" else rng.choice((1, 1, 2, 3)),
        "retry": {"max": max(retries, 1) if kind == "again" else retries},
    }
    if kind == "limit":
        spec |= {"limits": {"time": "2s"}, "retry": {"max": 0}}
    if spec["gpu"] == "2":
        spec["replicas"] = 1
    spec = {key: value for key, value in spec.items() if value != ""}
    body = {"apiVersion": API_VERSION, "kind": "Run", "metadata": {"name": name}, "spec": spec}
    return Job(name, body, end, asked)


def _witness(ledger: Path) -> str:
    """A program's first act: to keep its keeper's record and what it holds beyond its pod."""
    return (
        f'w="{ledger}/$SHOAL_POD_UID"; '
        'ln ../containers/main/0.record "$w.record" || echo again >> "$w.twice"; '
        'test -e ../claims.json && cp ../claims.json "$w.claims"; '
        'echo "$SHOAL_RUN $$" > "$w.new"; mv "$w.new" "$w.who"; '
    )

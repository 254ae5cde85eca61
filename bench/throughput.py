"""500 runs of ``true`` handed in at once on 8 shares: how many finish a second.

python bench/throughput.py
"""

import time

import harness

from shoal.api.kinds import RUNS

AIM_PER_SECOND = 15.0
RUN_COUNT = 500


def main() -> None:
    """Measure and tell."""
    with harness.box() as box:
        seconds = finish_runs(box, RUN_COUNT, "true")
    rate = RUN_COUNT / seconds
    value = f"{rate:.1f} finished a second ({RUN_COUNT} runs in {seconds:.1f} s)"
    harness.tell("runs of true", value, "≥ 15", reached=rate >= AIM_PER_SECOND)


def finish_runs(box: harness.Box, count: int, prefix: str) -> float:
    """Hand in runs of ``true`` through the API and wait until all succeeded; the seconds."""
    started = time.monotonic()
    for number in range(count):
        run = {
            "apiVersion": "shoal.dev/v1alpha1",
            "kind": "Run",
            "metadata": {"name": f"{prefix}-{number}"},
            "spec": {"run": ["true"], "gpu": "1/4"},
        }
        box.client.create(RUNS, run, "default")
    left = {f"{prefix}-{number}" for number in range(count)}
    listing = box.client.list(RUNS, "default")
    left -= {run.metadata.name for run in listing.items if _succeeded(run.status.phase)}
    events = box.client.watch(RUNS, "default", resource_version=listing.resource_version)
    while left:
        event = next(events)
        if _succeeded(event.object.status.phase):
            left.discard(event.object.metadata.name)
    return time.monotonic() - started


def _succeeded(phase: str) -> bool:
    assert phase in ("Queued", "Starting", "Running", "Succeeded"), f"a run ended as {phase}"
    return phase == "Succeeded"


if __name__ == "__main__":
    main()

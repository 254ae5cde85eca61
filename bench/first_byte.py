"""From executing ``shoal run`` to the first byte of the command's output, on an idle box.

python bench/first_byte.py
"""

import statistics
import subprocess
import time

import harness

AIM_SECONDS = 0.4
TIMES = 30


def main() -> None:
    """Measure and tell."""
    with harness.box() as box:
        seconds = sorted(_once(box) for _ in range(TIMES))
    middle, late = statistics.median(seconds), seconds[int(TIMES * 0.9)]
    value = f"p50 {middle * 1000:.0f} ms, p90 {late * 1000:.0f} ms"
    harness.tell("shoal run to first byte", value, "p50 < 400 ms", reached=middle < AIM_SECONDS)


def _once(box: harness.Box) -> float:
    """Seconds until ``first`` comes out of an attached run."""
    command = [harness.SHOAL, "run", "--gpu", "1/4", "--in-place", "--", "echo", "first"]
    started = time.monotonic()
    with subprocess.Popen(
        command, env=box.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(b"first"):
                break
        seconds = time.monotonic() - started
        process.stdout.read()
    assert process.returncode == 0, f"the run ended with {process.returncode}"
    return seconds


if __name__ == "__main__":
    main()

"""How long commands take that people wait for: ``--help``, and ``ps`` with 1,000 runs.

python bench/commands.py
"""

import statistics
import time

import harness
from throughput import finish_runs

TIMES = 15
RUN_COUNT = 1000


def main() -> None:
    """Measure and tell."""
    with harness.box() as box:
        help_ms = _median_ms(box, "--help")
        harness.tell("shoal --help", f"{help_ms:.0f} ms", "< 150 ms", reached=help_ms < 150)
        finish_runs(box, RUN_COUNT, "true")
        ps_ms = _median_ms(box, "ps")
        figure = f"shoal ps with {RUN_COUNT} runs"
        harness.tell(figure, f"{ps_ms:.0f} ms", "< 400 ms", reached=ps_ms < 400)


def _median_ms(box: harness.Box, *arguments: str) -> float:
    times = []
    for _ in range(TIMES):
        started = time.monotonic()
        box.shoal(*arguments)
        times.append((time.monotonic() - started) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()

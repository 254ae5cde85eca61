"""How long ``shoal up`` takes until the box is ready: median of five fresh homes.

python bench/startup.py
"""

import statistics

import harness

AIM_SECONDS = 2.0


def main() -> None:
    """Measure and tell."""
    seconds = []
    for _ in range(5):
        with harness.box() as box:
            seconds.append(box.ready_seconds)
    middle = statistics.median(seconds)
    spread = f"{min(seconds):.2f} to {max(seconds):.2f}"
    value = f"{middle:.2f} s ({spread})"
    harness.tell("shoal up until ready", value, "< 2 s", reached=middle < AIM_SECONDS)


if __name__ == "__main__":
    main()
